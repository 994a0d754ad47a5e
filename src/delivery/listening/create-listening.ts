import { type Clock, type Millis, realTime, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { atMost, createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { createWaits } from '../../core/waits.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { NO_TIMINGS } from '../../net/timed-client.ts'
import type { DeliveryJob } from '../attempt/delivery-job.ts'
import { judgeAttempt } from '../attempt/judge-attempt.ts'
import { keepAnswer } from '../attempt/kept-answer.ts'
import { keepHeaders } from '../attempt/kept-headers.ts'
import { keepReach } from '../attempt/kept-reach.ts'
import type { Failure } from '../attempt/outcome.ts'
import { horizonOf } from '../attempt/schedule.ts'
import { secretsOf } from '../attempt/secrets.ts'
import { DEADLINE, flatten, headersOf, KEPT_BODY, type Sent } from '../attempt/send.ts'
import { serviceSignature } from '../attempt/signature.ts'
import { type DeliveryTrace, traceAttempt } from '../delivery-trace.ts'
import { settle } from '../queue/settle.ts'
import { claimHeld, findDue, type HeldDelivery, type NoteListening, releaseHeld } from './held-deliveries.ts'
import { type Receipt, sealReceipt } from './receipt.ts'

/** A request that waits reads the table again after this time, for retries that come due and for lost notifications. */
const POLL: Millis = SECOND
/** The most requests that wait in this process, and of one listener. No organization holds more places than remain free. */
const [MOST_WAITING, MOST_OF_ONE] = [2_000, 20]
const RETRY_SECONDS = 5

/** A delivery in the hands of a client. */
interface HandedOver extends Pick<Receipt, 'claimId'> {
  receipt: string
  delivery: HeldDelivery
  headers: Record<string, string>
  /** Values of `x-service-signature` by retired secrets, for a receiver that refuses the current one. */
  previousSignatures: string[]
  deadline: Millis
}

/** A client's report about an attempt; `released`: it has made none. */
export type Report =
  | {
      status: number
      headers: Record<string, string>
      body: Uint8Array
      durationMs: number
      signature: number
    }
  | { failure: Failure; error: string; durationMs: number; signature: number }
  | 'released'

/** The outcome of a report; `lost`: the claim no longer held, and nothing was written. */
interface Taken {
  deliveryId: Id<'delivery'>
  outcome: 'delivered' | 'pending' | 'failed' | 'released' | 'lost'
}

/** Deliveries that clients fetch, forward to their own destinations, and report. */
export interface Listening {
  /**
   * Claims due deliveries of a listener, and waits for the first one.
   * @param check called in the claiming transaction: whether the caller still may
   * @param isGone whether the client has left
   * @throws ApiError RATE_LIMITED where this request waits and too many wait already; the errors of `check`
   * @returns undefined where there is no such listener any more, or it is disabled
   */
  take(question: {
    organizationId: Id<'organization'>
    webhookId: Id<'webhook'>
    limit: number
    patience: Millis
    check: (tx: Tx, now: Millis) => Promise<unknown>
    note: NoteListening
    isGone: () => boolean
  }): Promise<HandedOver[] | undefined>
  report(webhook: Tables['webhook'], receipt: Receipt, reported: Report): Promise<Taken>
  /** Wakes clients that wait for deliveries of a webhook; without an id, all clients. */
  wake(webhookId?: Id<'webhook'>): void
  /** Ends all waits. */
  stop(): void
}

export function createListening(deps: {
  database: Database
  clock: Clock
  vault: Vault
  log: { info(data: object, message: string): void }
  /** undefined: attempts are not traced. */
  trace: DeliveryTrace | undefined
  /** Called in the settling transaction when a destination is gone. */
  onGone: (tx: Tx, job: DeliveryJob, now: Millis) => Promise<void>
}): Listening {
  const { database, clock, vault, log, trace, onGone } = deps
  const { until, wake, stop } = createWaits<Id<'webhook'>>(clock, POLL)
  const ofOrganizations = createFairLimiter<Id<'organization'>>(MOST_WAITING)
  const ofListeners = createFairLimiter<Id<'webhook'>>(MOST_WAITING, atMost(MOST_OF_ONE))

  type Question = Parameters<Listening['take']>[0]

  async function claim({ webhookId, limit, check, note }: Question): Promise<HandedOver[] | undefined> {
    const now = clock.now()
    const found = await database.tx(async (tx) => {
      await check(tx, now)
      const claimed = await claimHeld(tx, webhookId, limit, note, now)
      if (claimed === undefined) return undefined
      const secrets = claimed.deliveries.length === 0 ? [] : await secretsOf(tx, vault, webhookId, now)
      return { ...claimed, secrets }
    })
    return found?.deliveries.map((delivery) => handOver(found, delivery, now))
  }

  function handOver(
    {
      claimId,
      webhook,
      secrets,
    }: { claimId: Receipt['claimId']; webhook: Tables['webhook']; secrets: string[] },
    delivery: HeldDelivery,
    now: Millis,
  ): HandedOver {
    const { id: deliveryId, event_id: eventId, attempts, body, hops, bytes } = delivery
    const request = { eventId, deliveryId, attempt: attempts + 1, body, hops }
    const traceparent = trace?.writeTrace(request)
    const timestamp = Math.floor(realTime(clock) / SECOND)
    const headers = headersOf({ secrets }, { ...request, traceparent }, 0, timestamp)
    const signatures = secrets.map((secret) => serviceSignature(secret, body))
    // The 24 hours of a delivery begin at its first attempt, because it may have waited for a client before.
    const awaitedAt = attempts === 0 ? now : undefined
    const receipt: Receipt = {
      ...{ claimId, deliveryId, eventId, attempts, hops, bytes, headers, signatures },
      dueAt: delivery.due_at ?? now,
      storedHorizon: delivery.horizon_at,
      horizon: horizonOf({ horizon: delivery.horizon_at, resumedAt: webhook.resumed_at, awaitedAt }),
      startedAt: now,
      urlVersion: webhook.url_version,
    }
    return {
      receipt: sealReceipt(vault, webhook.id, receipt),
      ...{ claimId, delivery, headers },
      previousSignatures: signatures.slice(1),
      deadline: now + DEADLINE,
    }
  }

  /** @returns the function that releases the place. @throws ApiError RATE_LIMITED */
  function enter({ organizationId, webhookId }: Question): () => void {
    const places = [ofOrganizations.tryEnter(organizationId), ofListeners.tryEnter(webhookId)]
    const leave = () => {
      for (const place of places) place?.()
    }
    if (!places.includes(undefined)) return leave
    leave()
    throw new ApiError('RATE_LIMITED', { retryAfterSeconds: RETRY_SECONDS })
  }

  return {
    async take(question) {
      const { webhookId, patience, isGone } = question
      const leave = patience > 0 ? enter(question) : undefined
      try {
        let isAsked = false
        const read = async (): Promise<HandedOver[] | undefined | ApiError> => {
          // The first read claims at once, which also frees expired claims. Later reads claim only where a
          // delivery is due, to avoid needless writes.
          const mayFind = !isAsked || (await findDue(database.db, webhookId, 1, clock.now())).length > 0
          isAsked = true
          return mayFind && !isGone() ? claim(question).catch(refusal) : []
        }
        const isOver = (found: Awaited<ReturnType<typeof read>>) =>
          !Array.isArray(found) || found.length > 0 || isGone()
        const taken = await until(webhookId, patience, read, isOver)
        if (taken instanceof ApiError) throw taken
        if (isGone()) await giveBack(taken ?? [])
        return taken
      } finally {
        leave?.()
      }

      /** Releases deliveries whose client has left during the claim. */
      async function giveBack(taken: HandedOver[]): Promise<void> {
        await database.tx(async (tx) => {
          for (const { delivery, claimId } of taken) await releaseHeld(tx, delivery.id, claimId)
        })
      }
    },

    async report(webhook, receipt, reported) {
      const { deliveryId, claimId, startedAt, horizon } = receipt
      if (reported === 'released') {
        const isReleased = await database.tx((tx) => releaseHeld(tx, deliveryId, claimId))
        if (isReleased) wake(webhook.id)
        return { deliveryId, outcome: isReleased ? 'released' : 'lost' }
      }
      const now = clock.now()
      const job = toJob(webhook, receipt)
      const target = { maxInFlight: webhook.max_in_flight, maxPerSecond: null }
      const sent = toSent(receipt, reported)
      const made = judgeAttempt({ job, target, startedAt, horizon, sent }, now)
      const [settled] = await settle(database, claimId, [made.settlement], now, onGone)
      if (settled === undefined) return { deliveryId, outcome: 'lost' }
      // The URL to which the client has sent it is not known.
      const traced = traceAttempt(trace, made, undefined)
      log.info({ ...traced, listener: webhook.listener }, 'attempt')
      return { deliveryId, outcome: made.settlement.status }
    },
    wake,
    stop,
  }
}

/** Returns a refusal, so that it ends the wait at once. After any other error the read is repeated. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

function toJob(
  { id: laneId, organization_id, max_in_flight }: Tables['webhook'],
  { deliveryId: id, eventId, attempts, dueAt, storedHorizon: horizon, bytes, hops }: Receipt,
): DeliveryJob {
  return {
    ...{ id, laneId, organizationId: organization_id, eventId, attempts, dueAt, horizon, hops, bytes },
    ...{ cap: max_in_flight, perSecond: null, body: undefined },
  }
}

/** An attempt as the sender of this process would have reported it. */
function toSent(receipt: Receipt, reported: Exclude<Report, 'released'>): Sent {
  const { headers, signatures, urlVersion, deliveryId, eventId, attempts, startedAt } = receipt
  const secretIndex = reported.signature in signatures ? reported.signature : 0
  const requestHeaders = { ...headers, 'x-service-signature': signatures[secretIndex] ?? '' }
  const facts = {
    secretIndex,
    durationMs: Math.min(reported.durationMs, DEADLINE),
    requestHeaders: keepHeaders(requestHeaders, { deliveryId, eventId, number: attempts + 1, startedAt }),
    reach: keepReach(urlVersion, NO_TIMINGS),
  }
  if ('failure' in reported) {
    const { failure, error } = reported
    return { ...facts, result: { failure }, responseHeaders: null, responseBody: null, error }
  }
  const responseHeaders = flatten(
    Object.fromEntries(Object.entries(reported.headers).map(([name, value]) => [name.toLowerCase(), value])),
  )
  return {
    ...facts,
    result: { status: reported.status, retryAfter: responseHeaders['retry-after'] },
    responseHeaders: keepAnswer(responseHeaders),
    responseBody: reported.body.subarray(0, KEPT_BODY),
    error: null,
  }
}
