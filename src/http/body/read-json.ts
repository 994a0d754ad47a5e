import type { IncomingHttpHeaders } from 'node:http'
import { turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { BodyLimits } from './body-limits.ts'
import { foreignCoding, readText } from './body-text.ts'
import type { ListSpan } from './json-places.ts'
import { scanJson } from './scan-json.ts'

/** Bytes that are decoded, and characters that are parsed, before other requests get a turn. */
const PIECE = 256 * 1024
/** Bodies up to this size are parsed without a pause. */
const SMALL = 64 * 1024
/** Characters that are scanned before other requests get a turn; scanning is slower than parsing. */
const COUNTED_PIECE = 64 * 1024

/** A parsed JSON body. */
export interface ReadBody {
  value: unknown
  text: string
  /** The source texts of the items of large lists, by the list's name. */
  items: Map<string, string[]>
}

/** The pauses and the parser of `readJson`. */
interface Reading {
  /** Resolves when the next piece may start. */
  nextTurn: () => Promise<void> | undefined
  /** @throws ApiError VALIDATION_FAILED */
  parse: (text: string) => unknown
  /** The longest item of a large list; undefined where items have no limit of their own. */
  longestItem?: LongestItem | undefined
}

/** An item with more characters is not parsed; the route refuses it by its source text. */
export interface LongestItem {
  characters: number
  /** A JSON text that fits the schema and is parsed instead of the item. */
  instead: string
}

/**
 * Parses a JSON body. It first checks the limits of the route's schema, so that no oversized body is parsed. Large
 * bodies are read in pieces, and the items of large lists one by one, so that other requests get turns.
 * @throws ApiError VALIDATION_FAILED
 */
export async function readJson(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  shape: BodyLimits,
  { nextTurn, parse, longestItem }: Reading,
): Promise<ReadBody> {
  const isTooLong = (item: string) => longestItem !== undefined && item.length > longestItem.characters
  const text = await readPieces(headers, bytes, nextTurn)
  const scan = scanJson(text, shape)
  while (!scan.advance(COUNTED_PIECE)) await nextTurn()
  const items = new Map<string, string[]>()
  if (text.length <= SMALL) return { value: parse(text), text, items }
  await turn()
  const lists = text.length <= PIECE ? [] : scan.lists
  const value = parse(withoutItems(text, lists))
  await turn()
  for (const { name, marks } of lists) {
    const list: unknown[] = []
    const texts = itemsBetween(text, marks)
    for (const item of texts) {
      await nextTurn()
      list.push(parse(isTooLong(item) ? (longestItem?.instead as string) : item))
    }
    // The last one of several lists with the same name counts.
    if (!setList(value, name, list)) continue
    items.set(name, texts)
  }
  return { value, text, items }
}

/** The text of a body; a large body is decoded in pieces. */
async function readPieces(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  nextTurn: Reading['nextTurn'],
): Promise<string> {
  if (bytes.length <= PIECE) return readText(headers, bytes, 'malformed_json')
  const foreign = foreignCoding(headers)
  if (foreign !== undefined) throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: foreign })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  try {
    // Concatenating the bytes has just taken a turn's time.
    await turn()
    for (let at = 0; at < bytes.length; at += PIECE) {
      pieces.push(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }))
      await nextTurn()
    }
    pieces.push(decoder.decode())
    // Joining the pieces is one synchronous step, so only one large body is joined in a turn.
    await nextTurn()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
  }
  const text = pieces.join('')
  await nextTurn()
  return text
}

/** The text with its large lists emptied. */
function withoutItems(text: string, lists: readonly ListSpan[]): string {
  let [rest, from] = ['', 0]
  for (const { marks } of lists) {
    rest += text.slice(from, (marks[0] as number) + 1)
    from = marks.at(-1) as number
  }
  return rest + text.slice(from)
}

function itemsBetween(text: string, marks: number[]): string[] {
  const items = marks.slice(1).map((end, index) => text.slice((marks[index] as number) + 1, end).trim())
  return items.length === 1 && items[0] === '' ? [] : items
}

/** @returns false where the body's member of that name is no list */
function setList(value: unknown, name: string, list: unknown[]): boolean {
  const of = value as Record<string, unknown>
  if (!Array.isArray(of[name])) return false
  of[name] = list
  return true
}
