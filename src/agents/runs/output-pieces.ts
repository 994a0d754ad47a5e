import { type Id, readId } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import { cutAt } from '../../core/text/cut-at.ts'
import { transitContext } from '../../db/sealed.ts'
import type { StreamedText } from '../steps/live-runs.ts'

/** Longest text that a late reader gets, in characters: the end of the answer. */
export const LONGEST_OUTPUT = 64 * 1024

/** A part of a model's text, as one process sends it to another. */
export interface Piece extends Omit<StreamedText, 'last'> {
  runId: Id<'run'>
  /** The position of the first character of `text`; `base` is that of the first relayed character. */
  from: number
}

/** Identifies the try that produced a text. */
export const tryKeyOf = ({ seq, tries, claim }: Pick<StreamedText, 'seq' | 'tries' | 'claim'>): string =>
  `${seq}.${tries}.${claim}`

/** Bytes of a notification beside the text: an id, and the members that are sealed with the text. */
const HEAD = 180

/**
 * Truncates a text so that it fits into `room` bytes once it is written as JSON, sealed and in base64.
 * @returns a prefix that never ends within a surrogate pair
 */
export function truncateToFit(text: string, room: number): string {
  const most = Math.floor(((room - HEAD) * 3) / 4)
  let some = text.slice(0, Math.max(0, most))
  for (let bytes = measure(some); bytes > most; bytes = measure(some))
    some = some.slice(0, Math.floor((some.length * most) / bytes))
  return some.slice(0, cutAt(text, some.length))
}

const measure = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

/** Writes a piece for a notification, sealed because every connection to the database can listen. */
export function writePiece(vault: Vault, piece: Piece): string {
  const { runId, seq, tries, claim, base, from, text } = piece
  const body = JSON.stringify([seq, tries, claim, base, from, text])
  return `${runId} ${vault.seal(body, transitContext('said', runId))}`
}

/** Reads a piece of a notification; undefined where another installation sealed it. */
export function readPiece(vault: Vault, name: string): Piece | undefined {
  const [head = '', sealed = ''] = name.split(' ', 2)
  const runId = readId('run', head)
  if (runId === undefined) return undefined
  let body: unknown
  try {
    body = JSON.parse(vault.open(sealed, transitContext('said', runId)))
  } catch {
    return undefined
  }
  if (!Array.isArray(body)) return undefined
  const [seq, tries, claim, base, from, text] = body as unknown[]
  if (![seq, tries, base, from].every((one) => Number.isSafeInteger(one) && Number(one) >= 0))
    return undefined
  if (typeof claim !== 'string' || typeof text !== 'string') return undefined
  return {
    runId,
    seq: Number(seq),
    tries: Number(tries),
    claim,
    base: Number(base),
    from: Number(from),
    text,
  }
}
