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
/** The largest output of a child: JSON at most doubles a text without controls, and a UTF-16 unit takes up to three bytes. */
const OUTPUT = { lineBytes: MIB, bytes: 4 * MOST_CHARACTERS }
/** Spreadsheets have their own timeout code, and a shorter limit. */
const SPREADSHEET_SECONDS = 30
const LONGEST_SECONDS = 60
/** The time limit while the bytes of a file arrive; a timeout here is not the file's fault. */
const SEND_TIMEOUT: Millis = MINUTE

/** The time limit for a kind of file; the longest limit before the kind is known. */
function timeFor(kind: Kind | undefined, most: number): Millis {
  const longest = kind === 'xlsx' || kind === 'ods' ? SPREADSHEET_SECONDS : LONGEST_SECONDS
  return Math.min(longest, most) * SECOND
}

/** The received messages of a child. */
interface ReceivedOutput {
  kind: Kind | undefined
  pieces: TextPiece[]
  chars: number
  warnings: Warning[]
  /** The end or the failure that the child reported. */
  end?: { isTruncated: boolean } | Extract<Reading, { ok: false }>
}

/**
 * Reads a file in a child process. The result follows from the child's messages, its exit, and the outcome of sending the bytes.
 * @param mostSeconds the operator's time limit for any file
 */
export async function runReader(
  child: Child,
  source: Source,
  { name, mediaType, charset, signal }: ReadOptions,
  mostSeconds: number,
): Promise<Reading> {
  const received: ReceivedOutput = { kind: undefined, pieces: [], chars: 0, warnings: [] }
  const over = new AbortController()
  child.setTimeLimit(SEND_TIMEOUT)
  const sending = sendFile(
    child.input,
    source,
    { name, mediaType, charset, sizeBytes: source.sizeBytes },
    AbortSignal.any([signal, over.signal]),
  )
  const sent = sending.then((outcome) => {
    // The bytes have arrived: from now on the limit of the file applies.
    child.setTimeLimit(timeFor(received.kind, mostSeconds))
    return outcome
  })
  try {
    for await (const message of child.messages(OUTPUT)) {
      addMessage(message, received)
      if (received.end !== undefined) break
      if (received.pieces.length === 0) child.setTimeLimit(timeFor(received.kind, mostSeconds))
    }
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    child.kill('output')
  }
  if (received.end !== undefined) child.kill('done')
  // A child that has reported the end of the file need not be awaited.
  const exit = received.end === undefined ? await child.ended : undefined
  const outcome = await Promise.race([sent, sleep(systemClock, SECOND)])
  over.abort(new Error('the process that reads the file has ended'))
  return conclude(received, outcome ?? 'cut_short', exit)
}

/** @throws OutputError for an invalid message, or one in the wrong order */
function addMessage(message: unknown, received: ReceivedOutput): void {
  const one = parseMessage(message)
  if (one === undefined) throw new OutputError('it is no message')
  if ((one.is === 'kind') !== (received.kind === undefined)) {
    throw new OutputError('the kind comes first, and once')
  }
  switch (one.is) {
    case 'kind':
      received.kind = one.kind
      break
    case 'pieces':
      received.pieces.push(...one.pieces)
      received.chars += one.pieces.reduce((sum, { text }) => sum + text.length, 0)
      if (received.chars > MOST_CHARACTERS) throw new OutputError('more text than is kept of any file')
      break
    case 'warned':
      received.warnings.push({ code: one.code, detail: one.detail })
      if (received.warnings.length > MOST_WARNINGS)
        throw new OutputError('more warnings than there are of any file')
      break
    case 'end':
      received.end = one
      break
    case 'refused':
      received.end = fileFailure(received.kind ?? 'unknown', one.reason, one.detail)
  }
}

/** The exit of a child that was killed after its last message. */
const KILLED_WHEN_DONE: ChildExit = { cause: 'done', exit: '', stderr: '' }

/** Combines the outcomes. A fault of the bytes comes before the result of the child. */
function conclude(
  { kind = 'unknown', pieces, chars, warnings, end }: ReceivedOutput,
  sent: SendOutcome,
  exit: ChildExit = KILLED_WHEN_DONE,
): Reading {
  if (sent === 'altered' || sent === 'missing')
    return serverFailure(`blob_${sent}`, 'the stored bytes are missing or altered')
  if (exit.cause === 'wall' && sent === 'cut_short')
    return serverFailure('blob_late', 'its bytes did not come in time')
  if (end === undefined || sent === 'cut_short') return exitFailure(kind, exit)
  if ('code' in end) return end
  return {
    ok: true,
    kind,
    mediaType: MEDIA_TYPES[kind],
    pieces,
    chars,
    warnings,
    truncated: end.isTruncated,
  }
}
