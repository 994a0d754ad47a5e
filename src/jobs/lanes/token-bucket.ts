import { type Millis, SECOND } from '../../core/clock.ts'

/**
 * The token bucket of a destination (`maxPerSecond`) with room for one token, as the generic cell rate algorithm: the moment at which the
 * next token is there when calls come evenly.
 */
export interface TokenBucket {
  /** Tokens a second; null: no limit. */
  readonly perSecond: number | null
  readonly nextAt: Millis
}

/** A call may begin this much before its token, because timers are no finer. */
const EARLY: Millis = 20

/** @param before the bucket with another rate, whose calls still count */
export function bucketOf(perSecond: number | null, before?: TokenBucket): TokenBucket {
  return before?.perSecond === perSecond
    ? before
    : { perSecond, nextAt: before?.nextAt ?? Number.NEGATIVE_INFINITY }
}

/** When the next call may begin; undefined when it may begin now. */
export function nextTokenAt({ perSecond, nextAt }: TokenBucket, now: Millis): Millis | undefined {
  if (perSecond === null || nextAt - EARLY <= now) return undefined
  // After the clock was set back, a call waits one interval at most.
  return Math.min(nextAt - EARLY, now + SECOND / perSecond)
}

/** The bucket after a call that begins now. */
export function takeToken(bucket: TokenBucket, now: Millis): TokenBucket {
  const { perSecond } = bucket
  if (perSecond === null) return bucket
  const every = SECOND / perSecond
  const nextAt = Math.min(bucket.nextAt, now + every + EARLY)
  return { perSecond, nextAt: Math.max(now, nextAt) + every }
}
