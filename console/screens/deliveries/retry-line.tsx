import type { Delivery } from '#sdk/postern.ts'
import { DAY, HOUR, MINUTE, type Millis, now, SECOND } from '../../app/clock.ts'
import { duration, millisOf } from '../../app/words.ts'

const WIDTH = 900
const EDGE = 24
const Y = 22
/** Marks of time that the line may carry. */
const MARKS = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR, DAY]

/** The attempts of a delivery over time, close together at first and then further and further apart, and the one that is to come. */
export function RetryLine({
  delivery: { createdAt, attempts, nextAttemptAt },
  chosen,
  onChoose,
}: {
  delivery: Delivery
  chosen: number | undefined
  onChoose: (number: number) => void
}) {
  const start = millisOf(createdAt) ?? now()
  const made = attempts.map((attempt) => ({
    ...attempt,
    after: Math.max(0, (millisOf(attempt.startedAt) ?? start) - start),
  }))
  const next = millisOf(nextAttemptAt)
  const last = made.at(-1)?.after ?? 0
  const ahead = next === undefined ? undefined : Math.max(next - start, last + SECOND)
  const span = Math.max(ahead ?? 0, last, 10 * SECOND) * 1.15
  const x = (after: Millis) =>
    EDGE + (Math.log1p(after / SECOND) / Math.log1p(span / SECOND)) * (WIDTH - 2 * EDGE)
  const words = [
    ...made.map(({ number, after, outcome }) => `attempt ${number} after ${duration(after)}: ${outcome}`),
    ...(ahead === undefined ? [] : [`next after ${duration(ahead)}`]),
  ].join('; ')
  return (
    <svg
      class="delivery-line"
      viewBox={`0 0 ${WIDTH} 56`}
      role="img"
      aria-label={`Attempts over time: ${words || 'none yet'}`}
    >
      <line x1={EDGE} y1={Y} x2={x(last)} y2={Y} />
      <line class="delivery-ahead" x1={x(last)} y1={Y} x2={WIDTH - EDGE} y2={Y} />
      {MARKS.filter((mark) => mark < span).map((mark) => (
        <g key={mark}>
          <line x1={x(mark)} y1={Y + 10} x2={x(mark)} y2={Y + 15} />
          <text x={x(mark)} y={Y + 30} text-anchor="middle">
            {duration(mark)}
          </text>
        </g>
      ))}
      {made.map(({ id, number, after, outcome }) => (
        <g key={id} onClick={() => onChoose(number)}>
          <title>{`Attempt ${number}, after ${duration(after)}: ${outcome}`}</title>
          {number === chosen && <circle class="delivery-ring" cx={x(after)} cy={Y} r="11" />}
          {outcome === 'delivered' ? (
            <circle class="delivery-attempt-mark fill-good" cx={x(after)} cy={Y} r="7" />
          ) : (
            <rect
              class="delivery-attempt-mark fill-bad"
              x={x(after) - 6}
              y={Y - 6}
              width="12"
              height="12"
              rx="2"
            />
          )}
        </g>
      ))}
      {ahead !== undefined && (
        <g>
          <title>{`Next, after ${duration(ahead)}`}</title>
          <circle class="delivery-next" cx={x(ahead)} cy={Y} r="6" />
        </g>
      )}
    </svg>
  )
}
