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

/** What the official client gives its `fetch`. */
interface Asked {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/** Where requests go, and with what. */
interface Server {
  url: URL
  headers: Record<string, string>
  renew?: () => Promise<string | undefined>
}

/** Sends a request to the server. @throws CallError, ServerFailure */
export type Send = (address: string | URL, asked?: Asked) => Promise<Response>

/** Bytes of all answers of one use of a session together, a handshake counted. */
export const LARGEST_ANSWERS = 1024 * 1024
/** How often the streams of one use of a session are taken up again, however soon the server ends each. */
export const MOST_RESUMPTIONS = 64

/** What all requests of one use of a session share. */
interface Limits extends Pick<StreamLimits, 'agent' | 'owner' | 'clock'> {
  /** Aborts each request, and the rest of its answer. */
  signal: AbortSignal
  /** Bytes that may still come, and streams that may still be taken up again. */
  allowance: { left: number; resumptions: number }
}

/**
 * The `fetch` of the protocol's client: to the server's own address alone, with its headers, over the way to strangers. A
 * request that is answered 401 was refused, and nothing was done for it: once, it is sent again with another token, where there
 * is one to be had.
 * @param traffic is kept up to date
 */
export function createServerFetch(
  { url: own, headers: ownHeaders, renew }: Server,
  limits: Limits,
  traffic: Traffic,
): Send {
  let authorization: string | undefined
  let mayRenew = renew !== undefined
  /** The reason why there is no other token: then nothing more is sent. */
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
    // The rest of an answer that broke off, or that the server has put off. It repeats no message.
    const isResumption = method === 'GET' && given.has('last-event-id')
    // The stream of messages that the server starts itself has no reader, so it is not opened.
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
    // Fetching the rest of an answer does not change the outcome of its message.
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
 * @param allowance counted down while the body comes
 * @param traffic set to the reason where the body ends early
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
