import type { Readable } from 'node:stream'
import type { Agent, Place } from './agent.ts'
import { CallError, type CallRequest } from './call.ts'

/** What an answer that is read while it comes is held to. */
export interface OpenLimits {
  /** Ends the request, and whatever of its answer has not come, however slowly it trickles. */
  signal: AbortSignal
  agent: Agent
  /** Whose share of the connections and look-ups it uses. */
  owner: string
  /** Bytes that may still come; counted down as they do, also by others that share it. */
  allowance: { left: number }
}

/** What says that no connection came to be: nothing was sent then. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether a request that failed so may have reached its destination. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof CallError)) return true
  if (error.reason === 'blocked_address') return false
  const { code } = (error.cause ?? {}) as { code?: string }
  return code === undefined || !NEVER_CONNECTED.has(code)
}

/**
 * One request, and its answer while it comes: counted, no redirect followed, nothing decompressed.
 * @throws CallError; the stream fails with it as well
 */
export async function openAnswer(url: URL, request: CallRequest, limits: OpenLimits): Promise<Response> {
  const { signal, agent, owner, allowance } = limits
  let place: Place | undefined
  try {
    place = await agent.reserve(owner, url.origin, signal)
    const undici = await import('undici')
    const answer = await undici.request(url, {
      method: request.method as 'GET',
      headers: request.headers,
      body: request.body ?? null,
      signal,
      dispatcher: place.dispatcher,
    })
    const { statusCode: status } = answer
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    const isEmpty = status === 204 || status === 205 || status === 304
    const stream = toStream(answer.body, { signal, allowance, release: place.release })
    if (isEmpty || (status >= 300 && status < 400)) await stream.cancel()
    if (status >= 300 && status < 400) throw new CallError('redirected')
    return new Response(isEmpty ? null : stream, { status, headers })
  } catch (error) {
    place?.release()
    throw toCallError(error, signal)
  }
}

function toStream(
  body: Readable,
  { signal, allowance, release }: Pick<OpenLimits, 'signal' | 'allowance'> & { release: () => void },
): ReadableStream<Uint8Array> {
  const chunks = body.iterator() as AsyncIterator<Uint8Array>
  // A reader that has stopped gets no error, and the process does not end by it.
  body.on('error', () => {})
  signal.addEventListener('abort', release, { once: true })
  function end() {
    signal.removeEventListener('abort', release)
    release()
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next()
        if (done) {
          end()
          return controller.close()
        }
        allowance.left -= value.length
        if (allowance.left < 0) throw new CallError('too_large')
        controller.enqueue(value)
      } catch (error) {
        body.destroy()
        end()
        controller.error(toCallError(error, signal))
      }
    },
    cancel() {
      body.destroy()
      end()
    },
  })
}

function toCallError(error: unknown, signal: AbortSignal): CallError {
  if (error instanceof CallError) return error
  if (signal.aborted) return new CallError('timeout', { cause: signal.reason })
  const isBlocked = (error as { code?: string }).code === 'ADDRESS_BLOCKED'
  return new CallError(isBlocked ? 'blocked_address' : 'unreachable', { cause: error })
}
