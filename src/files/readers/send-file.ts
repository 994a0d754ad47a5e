import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Assignment } from './child/common/messages.ts'
import type { Source } from './reading.ts'

/** The outcome of sending the bytes to a child: complete and correct, or why not. */
export type SendOutcome = 'whole' | 'altered' | 'missing' | 'cut_short'

/**
 * Sends the assignment and the bytes to a child, as fast as it reads them. The child's result only counts where the outcome is `whole`.
 * Errors of the pipe after the last byte are ignored, because a child that has read everything may end before the pipe closes.
 */
export async function sendFile(
  input: Writable,
  source: Source,
  assignment: Assignment,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const hash = createHash('sha256')
  let size = 0
  let failure: SendOutcome | undefined
  let isAllSent = false
  let isSending = false
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(assignment)}\n`)
    try {
      for await (const chunk of await source.open(signal)) {
        hash.update(chunk)
        size += chunk.length
        if (size > source.sizeBytes) return
        isSending = true
        yield chunk
        isSending = false
      }
      isAllSent = true
    } catch (error) {
      // An error of the pipe is thrown at the `yield`; only an error of the source means missing bytes.
      if (!isSending) failure = 'missing'
      throw error
    }
  }
  try {
    await pipeline(Readable.from(bytes(), { objectMode: false }), input)
  } catch {
    if (!isAllSent) return failure ?? 'cut_short'
  }
  return size === source.sizeBytes && hash.digest('hex') === source.sha256 ? 'whole' : 'altered'
}
