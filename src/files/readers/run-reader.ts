import { MINUTE, type Millis, SECOND, sleep, systemClock } from '../../core/clock.ts'
import type { Child, ChildExit } from '../../processes/child.ts'
import { OutputError } from '../../processes/output.ts'
import {
  type Kind,
  MEDIA_TYPES,
  MOST_CHARACTERS,
  MOST_WARNINGS,
  type TextPiece,
  type Warning,
} from './child/common/messages.ts'
import { parseMessage } from './child-message.ts'
import { exitFailure, fileFailure, serverFailure } from './read-failure.ts'
import type { Reading, ReadOptions, Source } from './reading.ts'
import { type SendOutcome, sendFile } from './send-file.ts'

const MIB = 1024 * 1024
/** Text doubles at most where it is written as JSON, but for controls, which it has none of; letters take three bytes. */
const OUTPUT = { lineBytes: MIB, bytes: 4 * MOST_CHARACTERS }
/** Spreadsheets have a code of their own for being late, and are late sooner. */
const SPREADSHEET_SECONDS = 30
const LONGEST_SECONDS = 60
/** Time for the bytes of a file to arrive; being late here is not the fault of the file. */
const SEND_TIMEOUT: Millis = MINUTE

/** How long a child may take for a file of a kind; before it has said which, as long as for any. */
function timeFor(kind: Kind | undefined, most: number): Millis {
  const longest = kind === 'xlsx' || kind === 'ods' ? SPREADSHEET_SECONDS : LONGEST_SECONDS
  return Math.min(longest, most) * SECOND
}

/** What a child has said so far. */
interface ReceivedOutput {
  kind: Kind | undefined
  pieces: TextPiece[]
  chars: number
  warnings: Warning[]
  /** How it ended, by its own words. */
  end?: { isTruncated: boolean } | Extract<Reading, { ok: false }>
}

/**
 * Has a child read a file, and makes one answer of what it says, how it ends and what became of the bytes.
 * @param mostSeconds that the operator gives a file of any kind
 */
export async function runReader(
  child: Child,
  source: Source,
  { name, mediaType, signal }: ReadOptions,
  mostSeconds: number,
): Promise<Reading> {
  const said: ReceivedOutput = { kind: undefined, pieces: [], chars: 0, warnings: [] }
  const over = new AbortController()
  child.setTimeLimit(SEND_TIMEOUT)
  const feeding = sendFile(
    child.input,
    source,
    { name, mediaType, sizeBytes: source.sizeBytes },
    AbortSignal.any([signal, over.signal]),
  )
  const isFed = feeding.then((fed) => {
    // The bytes have arrived: from here on the file itself takes the time.
    child.setTimeLimit(timeFor(said.kind, mostSeconds))
    return fed
  })
  try {
    for await (const message of child.messages(OUTPUT)) {
      take(message, said)
      if (said.end !== undefined) break
      if (said.pieces.length === 0) child.setTimeLimit(timeFor(said.kind, mostSeconds))
    }
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    child.kill('output')
  }
  if (said.end !== undefined) child.kill('done')
  // A child that has reported the end of the file need not be awaited.
  const end = said.end === undefined ? await child.ended : undefined
  const fed = await Promise.race([isFed, sleep(systemClock, SECOND)])
  over.abort(new Error('the process that reads the file has ended'))
  return conclude(said, fed ?? 'cut_short', end)
}

/** @throws OutputError for a message that a child may not send, or not at this point */
function take(message: unknown, said: ReceivedOutput): void {
  const one = parseMessage(message)
  if (one === undefined) throw new OutputError('it is no message')
  if ((one.is === 'kind') !== (said.kind === undefined)) {
    throw new OutputError('the kind comes first, and once')
  }
  switch (one.is) {
    case 'kind':
      said.kind = one.kind
      break
    case 'pieces':
      said.pieces.push(...one.pieces)
      said.chars += one.pieces.reduce((sum, { text }) => sum + text.length, 0)
      if (said.chars > MOST_CHARACTERS) throw new OutputError('more text than is kept of any file')
      break
    case 'warned':
      said.warnings.push({ code: one.code, detail: one.detail })
      if (said.warnings.length > MOST_WARNINGS)
        throw new OutputError('more warnings than there are of any file')
      break
    case 'end':
      said.end = one
      break
    case 'refused':
      said.end = fileFailure(said.kind ?? 'unknown', one.reason, one.detail)
  }
}

/** The end of a child that had nothing left to say. */
const KILLED_WHEN_DONE: ChildExit = { cause: 'done', exit: '', stderr: '' }

/** What was wrong with the bytes comes before what the child made of them. */
function conclude(
  { kind = 'unknown', pieces, chars, warnings, end: said }: ReceivedOutput,
  fed: SendOutcome,
  end: ChildExit = KILLED_WHEN_DONE,
): Reading {
  if (fed === 'altered' || fed === 'missing')
    return serverFailure(`blob_${fed}`, 'the bytes are not those that were taken in')
  if (end.cause === 'wall' && fed === 'cut_short')
    return serverFailure('blob_late', 'its bytes did not come in time')
  if (said === undefined || fed === 'cut_short') return exitFailure(kind, end)
  if ('code' in said) return said
  return {
    ok: true,
    kind,
    mediaType: MEDIA_TYPES[kind],
    pieces,
    chars,
    warnings,
    truncated: said.isTruncated,
  }
}
