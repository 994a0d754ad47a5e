import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, type Millis, repeat, SECOND, turn } from '../core/clock.ts'
import { createCoalescedRuns } from '../core/coalesced-runs.ts'
import { ApiError } from '../core/errors.ts'
import { createShares, type Shares } from '../core/fair-limiter.ts'
import type { Id } from '../core/id.ts'
import type { Database } from '../db/database.ts'
import { type EventStream, openStream } from '../http/body/event-stream.ts'
import { callerOf, type RightsCheck } from '../http/principal.ts'

export type Caller = ReturnType<typeof callerOf>

/** The event streams of all kinds in this process. */
export interface Readers {
  /** @throws ApiError RATE_LIMITED where the caller, or its organization, has too many open streams */
  mustHaveRoom(request: FastifyRequest): void
  /** Answers with a stream, which ends with the right of its reader. */
  open(request: FastifyRequest, reply: FastifyReply, options?: OpenOptions): EventStream
  /** Ends all streams, because the process stops: readers reconnect to another one. */
  drain(): void
}

interface OpenOptions {
  /** The reader's position, where it is not sent every change. */
  placeOf?: () => number | undefined
  /**
   * Called when the caller's role or modules may have changed. @returns false where nothing remains for the caller to
   * see
   */
  onCaller?: (caller: Caller) => boolean
}

/**
 * Most streams of one process, and of one organization in it. An organization gets no more of the first, and a person
 * or service account no more of the second, than remains free.
 */
const [MOST, MOST_OF_ONE] = [2_000, 200]
/** Seconds after which a refused reader may retry. */
const RETRY_SECONDS = 15

/** After a change of rights, open streams are checked within this time. */
const CHECK_SOON: Millis = 4 * SECOND
/** The interval of checks without a notification: a command beside an embedded database cannot send one. */
const CHECK_EVERY: Record<'told' | 'alone', Millis> = { told: 30 * SECOND, alone: 5 * SECOND }

interface Reader {
  request: FastifyRequest
  stream: EventStream
  onCaller: (caller: Caller) => boolean
}

export function createReaders(parts: {
  clock: Clock
  rightsCheck: RightsCheck
  database: Pick<Database, 'shared'>
  log: { error(data: object, message: string): void }
}): Readers {
  const { clock, rightsCheck, database, log } = parts
  const checkEvery = CHECK_EVERY[database.shared ? 'told' : 'alone']
  const shares = createShares<Id<'organization'>>(MOST)
  /** Open streams of an organization, by person or service account. */
  const actors = new Map<Id<'organization'>, Shares<Caller['actorId']>>()
  const readers = new Set<Reader>()
  let isOver = false
  let stopChecking = () => {}
  let soon: (() => void) | undefined
  const checks = createCoalescedRuns(checkAll)

  // Also without readers: a request that was admitted before may open a stream after it.
  rightsCheck.onChange(() => {
    soon ??= clock.after(CHECK_SOON, () => {
      soon = undefined
      checks.ask()
    })
  })

  /** Checks the rights of all streams one after the other, with a turn of the event loop between two. */
  async function checkAll(): Promise<void> {
    for (const reader of [...readers]) {
      try {
        if (readers.has(reader)) await checkOne(reader)
      } catch (error) {
        // The stream stays open until the next check.
        log.error({ err: error }, 'the right to a stream could not be checked')
      }
      await turn()
    }
  }

  async function checkOne({ request, stream, onCaller }: Reader): Promise<void> {
    const principal = await rightsCheck.whoNow(request, clock.now())
    if (principal === undefined || !onCaller(callerOf({ principal }))) end(stream, 'revoked')
  }

  /** Ends a stream at a moment, which may be beyond the range of a timer. @returns a function that cancels it */
  function endAt(stream: EventStream, until: Millis): () => void {
    let cancel = clock.after(until - clock.now(), function whenDue() {
      if (clock.now() >= until) end(stream, 'token_expired')
      else cancel = clock.after(until - clock.now(), whenDue)
    })
    return () => cancel()
  }

  function end(stream: EventStream, reason: 'token_expired' | 'revoked' | 'stopping'): void {
    stream.send({ event: 'end', data: { reason } })
    stream.end()
  }

  function hasRoom({ organizationId, actorId }: Caller): boolean {
    const ofOrganization = actors.get(organizationId)
    return (
      shares.room(organizationId) > 0 && (ofOrganization === undefined || ofOrganization.room(actorId) > 0)
    )
  }

  /** Takes a place for a stream. @returns a function that releases it */
  function take({ organizationId, actorId }: Caller): () => void {
    const ofOrganization = actors.get(organizationId) ?? createShares(MOST_OF_ONE)
    actors.set(organizationId, ofOrganization)
    shares.take(organizationId)
    ofOrganization.take(actorId)
    return () => {
      shares.give(organizationId)
      ofOrganization.give(actorId)
      if (ofOrganization.free === MOST_OF_ONE) actors.delete(organizationId)
    }
  }

  return {
    mustHaveRoom(request) {
      if (hasRoom(callerOf(request))) return
      throw new ApiError('RATE_LIMITED', { retryAfterSeconds: RETRY_SECONDS })
    },
    open(request, reply, { placeOf, onCaller = () => true } = {}) {
      const stream = openStream(reply, clock, placeOf)
      const reader: Reader = { request, stream, onCaller }
      if (readers.size === 0) stopChecking = repeat(clock, checkEvery, checks.ask)
      readers.add(reader)
      const giveBack = take(callerOf(request))
      const until = rightsCheck.endOf(request)
      const cancel = until === undefined ? () => {} : endAt(stream, until)
      stream.onOver(() => {
        cancel()
        readers.delete(reader)
        giveBack()
        if (readers.size === 0) stopChecking()
      })
      if (isOver) end(stream, 'stopping')
      return stream
    },
    drain() {
      isOver = true
      soon?.()
      for (const { stream } of [...readers]) end(stream, 'stopping')
    },
  }
}
