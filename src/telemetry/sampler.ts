import type { Sampler } from '../config/telemetry.ts'
import type { ForeignContext } from './span.ts'

/** Whether the spans of a trace are kept: every process comes to the same answer for the same trace. */
export type IsSampled = (traceId: string, parent?: ForeignContext) => boolean

/** The last 56 bits of the id of a trace are random (W3C Trace Context Level 2), also where it is a UUID v7. */
const RANDOM_DIGITS = 14
const RANDOM_VALUES = 16 ** RANDOM_DIGITS

export function createSampler({ name, ratio }: Sampler): IsSampled {
  const isParentBased = name.startsWith('parentbased_')
  const least = Math.round((1 - ratio) * RANDOM_VALUES)
  const ofPart = (traceId: string) => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= least
  const ofRoot = least === 0 ? () => true : ofPart
  return (traceId, parent) => (isParentBased && parent !== undefined ? parent.isSampled : ofRoot(traceId))
}
