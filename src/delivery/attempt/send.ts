import type { Dispatcher } from 'undici'
import { type Clock, type Millis, realTime, SECOND, stopwatch } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { memoizeRecent } from '../../core/memoize.ts'
import { VERSION } from '../../core/version.ts'
import type { Agent } from '../../net/agent.ts'
import { readDestination } from '../../net/destination.ts'
import { type Exchange, type PostAnswer, type PostRequest, postTo } from '../../net/exchange.ts'
import { NO_TIMINGS } from '../../net/timed-client.ts'
import { TRACE_HEADER } from './attempt-context.ts'
import { HOPS_HEADER } from './hops.ts'
import { keepAnswer } from './kept-answer.ts'
import { keepHeaders, type Owner } from './kept-headers.ts'
import { keepReach } from './kept-reach.ts'
import type { Failure, Result } from './outcome.ts'
import { serviceSignature, standardSignature } from './signature.ts'

/** Covers DNS, connect, headers and body together (specification 8); it begins when the attempt has a connection to use. */
export const DEADLINE: Millis = 30 * SECOND

/** Bytes of an answer's body that are read and recorded. */
export const KEPT_BODY = 16 * 1024

/** The destination of a delivery and its secrets. */
export interface Target {
  url: string
  /** The number of this URL among those of the webhook; each change increments it. */
  urlVersion: number
  /** Live secrets: the current one first, then the retired ones that are still valid, newest first. */
  secrets: string[]
}

/** One delivery, ready to be sent. */
export interface DeliveryRequest {
  organizationId: Id<'organization'>
  eventId: string
  deliveryId: string
  /** 1 for the first attempt. */
  attempt: number
  body: Uint8Array
  /** How many webhooks the event has come through before. */
  hops: number
  startedAt: Millis
  /** The header of the trace; undefined: the attempt is not traced. */
  traceparent?: string | undefined
}

/** One attempt and its result. Headers and connection are those of the last request, as the record of the attempt keeps them. */
export interface Sent {
  result: Result
  durationMs: number
  /** Which of the target's secrets signed the last request; 0 is the current one. */
  secretIndex: number
  /** As `keepHeaders` returns them. */
  requestHeaders: string
  /** As `keepAnswer` returns them; null without an answer. */
  responseHeaders: string | null
  responseBody: Uint8Array | null
  /** As `keepReach` returns it. */
  reach: string
  /** Why there was no whole answer, in plain words. */
  error: string | null
}

/** Makes one attempt. It does not throw because of a destination. */
export type Send = (target: Target, request: DeliveryRequest) => Promise<Sent>

export function createSend({ agent, clock }: { agent: Agent; clock: Clock }): Send {
  return async (target, request) => {
    const destination = destinationOf(target.url)
    if (destination === 'none')
      return notSent(target, request, 'blocked_address', 'the URL is not one that may be called')
    const place = await agent.reserve(request.organizationId, destination.origin)
    const elapsed = stopwatch()
    const { post, end } = createPosts(place.dispatcher, destination, clock)
    const cancel = clock.after(DEADLINE, end)
    let sent = await post(target, request, 0)
    // A receiver that still holds an older secret refuses the newer signature. It is called again at once, so that a rotation
    // delays no delivery (decisions: webhooks, rotation).
    for (let index = 1; index < target.secrets.length && isRefused(sent.result); index += 1) {
      sent = await post(target, request, index)
    }
    // The receiver may have adopted the newest secret between two of these calls.
    if (target.secrets.length > 1 && isRefused(sent.result)) sent = await post(target, request, 0)
    cancel()
    place.release()
    sent.durationMs = elapsed()
    return sent
  }
}

/** The parts of a URL that a request needs. */
type Destination = Pick<PostRequest, 'origin' | 'path'>

/** Destinations whose parsed URLs are kept. */
const MOST_DESTINATIONS = 10_000

const destinationOf = memoizeRecent(MOST_DESTINATIONS, (text): Destination | 'none' => {
  const url = readDestination(text)
  return typeof url === 'string' ? 'none' : { origin: url.origin, path: url.pathname + url.search }
})

/**
 * The record of an attempt without a request, or of one that ended without a trace of its request.
 * @param error why, in plain words
 */
export function notSent(
  { urlVersion }: Target,
  request: DeliveryRequest,
  failure: Failure,
  error: string,
): Sent {
  return {
    result: { failure },
    durationMs: 0,
    secretIndex: 0,
    requestHeaders: keepHeaders({}, ownerOf(request)),
    responseHeaders: null,
    responseBody: null,
    reach: keepReach(urlVersion, NO_TIMINGS),
    error,
  }
}

function ownerOf({ deliveryId, eventId, attempt, startedAt }: DeliveryRequest): Owner {
  return { deliveryId, eventId, number: attempt, startedAt }
}

function isRefused(result: Result): boolean {
  return 'status' in result && (result.status === 401 || result.status === 403)
}

class DeadlineError extends Error {}

/** The requests of one attempt, all within one deadline; `end` is to be called when it has passed. */
function createPosts(dispatcher: Dispatcher, destination: Destination, clock: Clock) {
  let isOver = false
  let last: Exchange | undefined

  async function post(target: Target, request: DeliveryRequest, secretIndex: number): Promise<Sent> {
    const timestamp = Math.floor(realTime(clock) / SECOND)
    const headers = headersOf(target, request, secretIndex, timestamp)
    const facts = { durationMs: 0, secretIndex, requestHeaders: keepHeaders(headers, ownerOf(request)) }
    let exchange: Exchange | undefined
    try {
      if (isOver) throw new DeadlineError()
      exchange = postTo(dispatcher, { ...destination, headers, body: request.body }, KEPT_BODY)
      last = exchange
      const answer = await exchange.answer
      const headersOfAnswer = flatten(answer.headers)
      return {
        ...facts,
        result: { status: answer.status, retryAfter: headersOfAnswer['retry-after'] },
        responseHeaders: keepAnswer(headersOfAnswer),
        responseBody: answer.body,
        reach: keepReach(target.urlVersion, exchange.timings()),
        error: null,
      }
    } catch (thrown) {
      const isLate = thrown instanceof DeadlineError
      const failure = isLate ? 'timeout' : failureOf(thrown)
      const error = isLate ? `no whole answer within ${DEADLINE / SECOND} s` : describe(thrown)
      const reach = keepReach(target.urlVersion, exchange?.timings() ?? NO_TIMINGS)
      return { ...facts, result: { failure }, responseHeaders: null, responseBody: null, reach, error }
    }
  }

  function end(): void {
    isOver = true
    last?.abort(new DeadlineError())
  }

  return { post, end }
}

/** Both signature schemes at once (decisions: webhooks, signature); `traceparent` is not signed. */
export function headersOf(
  { secrets }: Pick<Target, 'secrets'>,
  {
    eventId,
    deliveryId,
    attempt,
    body,
    hops,
    traceparent,
  }: Omit<DeliveryRequest, 'organizationId' | 'startedAt'>,
  secretIndex: number,
  timestamp: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `Postern/${VERSION}`,
    'x-service-signature': serviceSignature(secrets[secretIndex] ?? '', body),
    'x-service-delivery': deliveryId,
    'x-service-attempt': String(attempt),
    [HOPS_HEADER]: String(hops + 1),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => standardSignature(secret, eventId, timestamp, body))
      .join(' '),
    ...(traceparent === undefined ? {} : { [TRACE_HEADER]: traceparent }),
  }
}

/** Headers that came more than once are joined; none is kept longer than 1,024 characters. */
export function flatten(headers: PostAnswer['headers']): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    flat[name] = (Array.isArray(value) ? value.join(', ') : value).slice(0, 1_024)
  }
  return flat
}

/** Codes of errors of Node and undici; any other one means `invalid_answer`. */
const FAILURE_OF_CODE: Record<string, Failure> = {
  ADDRESS_BLOCKED: 'blocked_address',
  NAME_NOT_RESOLVED: 'dns',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EPROTO: 'tls',
}

export function failureOf(thrown: unknown): Failure {
  const error = thrown as { code?: string; errors?: unknown[] }
  // Several addresses were tried (happy eyeballs): the first one's failure speaks for all.
  if (Array.isArray(error.errors) && error.errors.length > 0) return failureOf(error.errors[0])
  const code = error.code ?? ''
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER/.test(code)) return 'tls'
  return FAILURE_OF_CODE[code] ?? 'invalid_answer'
}

export function describe(thrown: unknown): string {
  const error = thrown as { message?: string; errors?: unknown[] }
  const text = error.message || (error.errors?.[0] as Error | undefined)?.message || String(thrown)
  return text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 300)
}
