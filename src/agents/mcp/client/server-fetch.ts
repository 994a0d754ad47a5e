import { VERSION } from '../../../core/version.ts'
import { CallError } from '../../../net/call.ts'
import { mayHaveArrived, type OpenLimits, openAnswer } from '../../../net/open-answer.ts'

/** What the official client gives its `fetch`. */
interface Asked {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/** What came of the requests to a server: the client's own errors do not say it. */
export interface Traffic {
  /** Of the last answer. */
  status: number | undefined
  /** Why the last request had no whole answer. */
  failure: CallError | undefined
  /** Whether the last request may have reached the server. */
  mayHaveArrived: boolean
}

/** Bytes of all answers of one attempt together, the handshake counted. */
export const LARGEST_ANSWERS = 1024 * 1024

/**
 * The `fetch` of the protocol's client: to the server's own address alone, with its headers, over the way to strangers.
 * @param traffic is kept up to date
 */
export function createServerFetch(
  server: { url: URL; headers: Record<string, string> },
  limits: OpenLimits,
  traffic: Traffic,
) {
  return async (
    address: string | URL,
    { method = 'GET', headers, body, signal }: Asked = {},
  ): Promise<Response> => {
    const url = new URL(address)
    // Whatever a server names as another place (its authorization server, above all) is not called.
    if (url.href !== server.url.href) throw new CallError('redirected')
    // A stream of what the server would like to say by itself: nobody listens, so it is not opened.
    if (method === 'GET') return new Response(null, { status: 405 })
    const request = {
      method,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        ...server.headers,
        'accept-encoding': 'identity',
        'user-agent': `Postern/${VERSION}`,
      },
      body: typeof body === 'string' ? body : null,
    }
    const over = signal ? AbortSignal.any([limits.signal, signal]) : limits.signal
    traffic.mayHaveArrived = true
    try {
      const answer = await openAnswer(url, request, { ...limits, signal: over })
      traffic.status = answer.status
      traffic.failure = undefined
      return watched(answer, traffic)
    } catch (error) {
      traffic.failure = error as CallError
      traffic.mayHaveArrived = mayHaveArrived(error)
      throw error
    }
  }
}

/** The answer, whose body tells why it ended early. */
function watched(answer: Response, traffic: Traffic): Response {
  if (answer.body === null) return answer
  const reader = answer.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        traffic.failure = error as CallError
        controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: answer.status, headers: answer.headers })
}
