import { useEffect, useState } from 'preact/hooks'
import { every, HOUR, MINUTE, type Millis, now, SECOND } from '../app/clock.ts'
import { ago, duration, exactTime, millisOf, textOf } from '../app/words.ts'

/** Components by the interval at which they are drawn again. All of an interval are drawn together, so that a long list is laid out once. */
const ticking = new Map<Millis, { draws: Set<() => void>; end: () => void }>()

function onTick(wait: Millis, draw: () => void): () => void {
  let clock = ticking.get(wait)
  if (clock === undefined) {
    const draws = new Set<() => void>()
    const end = every(wait, () => {
      for (const one of [...draws]) one()
    })
    clock = { draws, end }
    ticking.set(wait, clock)
  }
  const { draws, end } = clock
  draws.add(draw)
  return () => {
    draws.delete(draw)
    if (draws.size > 0) return
    end()
    ticking.delete(wait)
  }
}

/** Draws the component again each time its words may change. */
function useTick(at: Millis | undefined): void {
  const [, draw] = useState(0)
  const apart = at === undefined ? HOUR : Math.abs(at - now())
  const wait = apart < 2 * MINUTE ? SECOND : apart < 2 * HOUR ? 20 * SECOND : 10 * MINUTE
  useEffect(() => (at === undefined ? undefined : onTick(wait, () => draw((times) => times + 1))), [at, wait])
}

/** A time in words ("2 minutes ago"), the exact time on hover; a dash without one. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  const millis = millisOf(at)
  useTick(millis)
  if (millis === undefined) return <span class="quiet">{none}</span>
  return (
    <time dateTime={textOf(at)} title={exactTime(millis)}>
      {ago(millis)}
    </time>
  )
}

/** When something is due. Once that moment is past it is due "at any moment"; how long ago that was is not shown. */
export function Due({ at }: { at: string | null | undefined }) {
  const millis = millisOf(at)
  useTick(millis)
  return millis === undefined || millis <= now() ? <>at any moment</> : <Time at={at} />
}

/** A moment to the second, with how long ago it was. */
export function ExactTime({ at }: { at: string | null | undefined }) {
  const millis = millisOf(at)
  useTick(millis)
  if (millis === undefined) return <span class="quiet">–</span>
  return (
    <time dateTime={textOf(at)}>
      {exactTime(millis)} <span class="quiet">({ago(millis)})</span>
    </time>
  )
}

/** The time left until a moment; `over` after it. */
export function Countdown({ until, over = 'over' }: { until: string | null | undefined; over?: string }) {
  const millis = millisOf(until)
  useTick(millis)
  if (millis === undefined) return null
  const left = millis - now()
  return (
    <time dateTime={textOf(until)} title={exactTime(millis)} class="number">
      {left <= 0 ? over : duration(Math.max(left, SECOND))}
    </time>
  )
}
