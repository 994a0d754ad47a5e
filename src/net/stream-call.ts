import { Readable } from 'node:stream'
import { CallError, type CallLimits } from './call.ts'

/** One request whose bodies are not in memory as a whole. */
export interface StreamRequest {
  method: string
  headers: Record<string, string>
  /** With its length in `content-length`; one that is whole travels with the headers. */
  body?: AsyncIterable<Uint8Array> | Uint8Array
}

/** An answer whose body comes piece by piece. */
export interface StreamAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** @throws CallError where it does not arrive whole and in time */
  body: AsyncIterable<Uint8Array>
  /** Ends it where the rest, or all of it, is not wanted. */
  discard(): void
}

/**
 * As `call`, for bodies that are large: one deadline from the look-up of the name to the last byte, no redirect followed, nothing
 * decompressed. Whoever gets the answer reads its body to the end or discards it.
 * @throws CallError
 */
export async function streamCall(
  url: URL,
  { method, headers, body = undefined }: StreamRequest,
  { clock, deadline, agent, owner, signal }: Omit<CallLimits, 'largest'> & { signal?: AbortSignal },
): Promise<StreamAnswer> {
  const over = new AbortController()
  const cancel = clock.after(deadline, () => over.abort(new CallError('timeout')))
  let release = () => {}
  const giveUp = () => over.abort(new CallError('timeout'))
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  const end = () => {
    cancel()
    signal?.removeEventListener('abort', giveUp)
    release()
  }
  const inWords = (error: unknown) => {
    if (error instanceof CallError) return error
    if (over.signal.aborted) return new CallError('timeout')
    const isBlocked = (error as { code?: string }).code === 'ADDRESS_BLOCKED'
    return new CallError(isBlocked ? 'blocked_address' : 'unreachable', { cause: error })
  }
  try {
    const place = await agent.reserve(owner, url.origin, over.signal)
    release = place.release
    const undici = await import('undici')
    const answer = await undici.request(url, {
      method: method as 'GET',
      headers,
      body:
        body === undefined || body instanceof Uint8Array
          ? (body ?? null)
          : Readable.from(body, { objectMode: false }),
      signal: over.signal,
      dispatcher: place.dispatcher,
    })
    const stream = answer.body
    // An error after the answer was discarded is ignored.
    stream.on('error', () => {})
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: pieces(stream, inWords, end),
      discard() {
        stream.destroy()
        end()
      },
    }
  } catch (error) {
    end()
    throw inWords(error)
  }
}

async function* pieces(
  stream: AsyncIterable<Uint8Array>,
  inWords: (error: unknown) => Error,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    // Leaving the loop early destroys the stream, and with it the connection.
    yield* stream
  } catch (error) {
    throw inWords(error)
  } finally {
    end()
  }
}
