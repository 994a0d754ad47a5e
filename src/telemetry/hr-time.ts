import { type Millis, SECOND } from '../core/clock.ts'

const NANOS = 1_000_000

/** A moment or a duration as OpenTelemetry has it: seconds and nanoseconds. */
export function hrTime(moment: Millis): [number, number] {
  const seconds = Math.floor(moment / SECOND)
  return [seconds, Math.round((moment - seconds * SECOND) * NANOS)]
}
