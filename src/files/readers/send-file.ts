import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Assignment } from './child/common/messages.ts'
import type { Source } from './reading.ts'

/** What became of the bytes on their way to a child: all of them and the right ones, or why not. */
export type SendOutcome = 'whole' | 'altered' | 'missing' | 'cut_short'

/**
 * Gives a child what it is to do, and the bytes, as fast as it takes them. It reads all of them before anything else, so
 * what it answers is only of use where they are `whole`. Once the last of them is given, it does not matter how the pipe ends: a
 * child that has read them may be gone before the pipe has said so.
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
  let isAllGiven = false
  let isGiving = false
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(assignment)}\n`)
    try {
      for await (const chunk of await source.open(signal)) {
        hash.update(chunk)
        size += chunk.length
        if (size > source.sizeBytes) return
        isGiving = true
        yield chunk
        isGiving = false
      }
      isAllGiven = true
    } catch (error) {
      // A pipe that breaks is thrown in here as well, where what takes the bytes has them.
      if (!isGiving) failure = 'missing'
      throw error
    }
  }
  try {
    await pipeline(Readable.from(bytes(), { objectMode: false }), input)
  } catch {
    if (!isAllGiven) return failure ?? 'cut_short'
  }
  return size === source.sizeBytes && hash.digest('hex') === source.sha256 ? 'whole' : 'altered'
}
