import { VERSION } from '../../../core/version.ts'
import {
  CallError,
  type CallRequest,
  headerPairs,
  neverSent,
  type StreamAnswer,
  type StreamLimits,
  streamCall,
} from '../../../net/call.ts'
import { ServerFailure, type Traffic } from './failures.ts'

/** The options that the official client passes to its `fetch`. */
interface FetchOptions {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/** The address of a server, and its headers. */
interface Server {
  url: URL
  headers: Record<string, string>
  renew?: () => Promise<string | undefined>
}

/** Sends a request to the server. @throws CallError, ServerFailure */
export type Send = (address: string | URL, asked?: FetchOptions) => Promise<Response>

/** Bytes of all answers in one use of a session, handshake included. */
export const LARGEST_ANSWERS = 1024 * 1024
/** How often the streams of one use of a session are resumed, however soon the server ends each. */
export const MOST_RESUMPTIONS = 64

/** Limits that all requests in one use of a session share. */
interface Limits extends Pick<StreamLimits, 'agent' | 'owner' | 'clock'> {
  /** Aborts every request, and unread answers. */
  signal: AbortSignal
  /** Remaining bytes, and remaining resumptions of streams. */
  allowance: { left: number; resumptions: number }
}

/**
 * The `fetch` for the protocol's client: only to the server's own address, with its headers, through the address check.
 * After 401, by which the server has done nothing, a request is sent once more with a new token if there is one.
 * @param traffic is updated with each request
 */
export function createServerFetch(
  { url: own, headers: ownHeaders, renew }: Server,
  limits: Limits,
  traffic: Traffic,
): Send {
  let authorization: string | undefined
  let mayRenew = renew !== undefined
  /** Why there is no other token; nothing more is sent then. */
  let lost: unknown

  async function send(request: CallRequest, signal: AbortSignal, about: Traffic): Promise<Response> {
    if (lost !== undefined) throw lost
    const headers = { ...request.headers, ...(authorization === undefined ? {} : { authorization }) }
    about.mayHaveArrived = true
    const opened = await streamCall(own, { ...request, headers }, { ...limits, signal, deadline: undefined })
    const answer = toResponse(opened, limits.allowance, traffic)
    about.status = answer.status
    about.isStream = /^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '')
    about.failure = undefined
    if (answer.status !== 401 || !mayRenew) return answer
    mayRenew = false
    about.mayHaveArrived = false
    const another = await renew?.().catch((error: unknown) => {
      lost = error
      throw error
    })
    if (another === undefined) return answer
    await answer.body?.cancel()
    authorization = another
    return send(request, signal, about)
  }

  return async (address, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(address)
    // Other addresses that a server names, such as its authorization server, are not called.
    if (url.href !== own.href) throw new CallError('redirected')
    const given = new Headers(headers)
    // Fetches the rest of an interrupted or postponed answer. It repeats no message.
    const isResumption = method === 'GET' && given.has('last-event-id')
    // Messages that the server initiates have no reader, so their stream is not opened.
    if (method === 'GET' && !isResumption) return noStream()
    if (isResumption && limits.allowance.resumptions-- <= 0) return noStream()
    const request = {
      method,
      headers: {
        ...Object.fromEntries(given),
        ...ownHeaders,
        'accept-encoding': 'identity',
        'user-agent': `Postern/${VERSION}`,
      },
      body: typeof body === 'string' ? body : null,
    }
    const over = signal ? AbortSignal.any([limits.signal, signal]) : limits.signal
    // Resuming a stream does not change the outcome of its message.
    const about = isResumption ? { ...traffic } : traffic
    try {
      const answer = await send(request, over, about)
      traffic.failure = undefined
      return answer
    } catch (error) {
      traffic.failure = error as CallError | ServerFailure
      about.mayHaveArrived = error instanceof ServerFailure ? error.mayHaveActed : !neverSent(error)
      throw error
    }
  }
}

const noStream = () => new Response(null, { status: 405 })

/**
 * @param allowance reduced while the body arrives
 * @param traffic gets the failure where the body ends early
 * @throws CallError `redirected`
 */
function toResponse(
  answer: StreamAnswer,
  allowance: { left: number },
  traffic: Pick<Traffic, 'failure'>,
): Response {
  const { status } = answer
  const isRedirect = status >= 300 && status < 400
  const isEmpty = status === 204 || status === 205
  if (isEmpty || isRedirect) answer.discard()
  if (isRedirect) throw new CallError('redirected')
  const body = isEmpty ? null : toStream(answer, allowance, traffic)
  return new Response(body, { status, headers: headerPairs(answer) })
}

function toStream(
  { body, discard }: StreamAnswer,
  allowance: { left: number },
  traffic: Pick<Traffic, 'failure'>,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  let isCancelled = false
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (done) return controller.close()
        allowance.left -= value.length
        if (allowance.left < 0) throw new CallError('too_large')
        controller.enqueue(value)
      } catch (error) {
        discard()
        if (isCancelled) return
        traffic.failure = error as CallError
        controller.error(error)
      }
    },
    cancel() {
      isCancelled = true
      discard()
    },
  })
}
