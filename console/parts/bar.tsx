import { number } from '../app/words.ts'
import type { Tone } from './badge.tsx'

export interface Share {
  name: string
  value: number
  tone: Tone
}

/** How a whole is divided, as one line; what it says in words is there as well. */
export function Shares({ label, parts }: { label: string; parts: readonly Share[] }) {
  const whole = parts.reduce((sum, { value }) => sum + value, 0)
  const words = parts.map(({ name, value }) => `${number(value)} ${name}`).join(', ')
  let at = 0
  return (
    <svg
      class="shares"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${words}`}
    >
      <title>{words}</title>
      <rect width="100" height="8" class="fill-none" />
      {whole > 0 &&
        parts.map(({ name, value, tone }) => {
          // A few among many are still seen.
          const width = value === 0 ? 0 : Math.max((value / whole) * 100, 2)
          const x = Math.min(at, 100 - width)
          at += width
          return <rect key={name} x={x} width={width} height="8" class={`fill-${tone}`} />
        })}
    </svg>
  )
}

/** The course of some values, small enough for a row. */
export function Spark({
  label,
  values,
  tone = 'good',
}: {
  label: string
  values: readonly number[]
  tone?: Tone
}) {
  const most = Math.max(1, ...values)
  const width = 100 / Math.max(values.length, 1)
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      {values.map((value, at) => {
        const height = value === 0 ? 0.6 : Math.max((value / most) * 24, 1.5)
        return (
          <rect
            key={at}
            x={at * width}
            y={24 - height}
            width={width * 0.8}
            height={height}
            class={value === 0 ? 'fill-none' : `fill-${tone}`}
          />
        )
      })}
    </svg>
  )
}

/** How far something long has come. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  return (
    <div class="progress">
      <progress aria-label={label} value={share} max={1} />
      <span class="small number">
        {number(done)} of {number(total)}
      </span>
    </div>
  )
}
