import type { IncomingHttpHeaders } from 'node:http'
import { turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { foreignCoding, readText } from './body-text.ts'
import { type Cut, scanJson } from './scan.ts'
import type { Shape } from './shape.ts'

/** Bytes that are decoded, and characters that are read, in one go. Others have their turn in between. */
const PIECE = 256 * 1024
/** What is no larger is read in one go with all that is done with it. */
const SMALL = 64 * 1024
/** Characters that are counted in one go, which takes longer. */
const COUNTED_PIECE = 64 * 1024

/** A JSON body as it was read. */
export interface ReadBody {
  value: unknown
  text: string
  /** The texts of the items of large lists, by the name of the list. */
  items: Map<string, string[]>
}

/** How `readJson` gives others their turn, and reads one value. */
interface Reading {
  /** Resolves when the next piece may be begun. */
  nextTurn: () => Promise<void> | undefined
  /** @throws ApiError VALIDATION_FAILED */
  parse: (text: string) => unknown
  /** How long the items of large lists may be; undefined where no item is too long for the route. */
  longestItem?: LongestItem | undefined
}

/** An item with more characters is not read: the route refuses it by its text. */
export interface LongestItem {
  characters: number
  /** The JSON text that is read in its place; it fits the schema. */
  instead: string
}

/**
 * Reads a JSON body: counts what it holds by the shape that its route can take, and only then makes values of it. What is
 * large is read in pieces, the items of its lists one by one, so that no body holds the thread for long.
 * @throws ApiError VALIDATION_FAILED
 */
export async function readJson(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  shape: Shape,
  { nextTurn, parse, longestItem }: Reading,
): Promise<ReadBody> {
  const isTooLong = (item: string) => longestItem !== undefined && item.length > longestItem.characters
  const text = await readPieces(headers, bytes, nextTurn)
  const scan = scanJson(text, shape)
  while (!scan.advance(COUNTED_PIECE)) await nextTurn()
  const items = new Map<string, string[]>()
  if (text.length <= SMALL) return { value: parse(text), text, items }
  await turn()
  const cuts = text.length <= PIECE ? [] : scan.cuts
  const value = parse(withoutItems(text, cuts))
  await turn()
  for (const { name, marks } of cuts) {
    const list: unknown[] = []
    const texts = itemsBetween(text, marks)
    for (const item of texts) {
      await nextTurn()
      list.push(parse(isTooLong(item) ? (longestItem?.instead as string) : item))
    }
    // Of several lists with one name the last counts.
    if (!setList(value, name, list)) continue
    items.set(name, texts)
  }
  return { value, text, items }
}

/** The text of a body, of a large one a piece at a time. */
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
    // Its bytes have just been put together.
    await turn()
    for (let at = 0; at < bytes.length; at += PIECE) {
      pieces.push(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }))
      await nextTurn()
    }
    pieces.push(decoder.decode())
    // To join the pieces cannot be cut: of several large bodies one is joined in a turn.
    await nextTurn()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
  }
  const text = pieces.join('')
  await nextTurn()
  return text
}

/** The text with its large lists empty. */
function withoutItems(text: string, cuts: readonly Cut[]): string {
  let [rest, from] = ['', 0]
  for (const { marks } of cuts) {
    rest += text.slice(from, (marks[0] as number) + 1)
    from = marks.at(-1) as number
  }
  return rest + text.slice(from)
}

function itemsBetween(text: string, marks: number[]): string[] {
  const items = marks.slice(1).map((end, index) => text.slice((marks[index] as number) + 1, end).trim())
  return items.length === 1 && items[0] === '' ? [] : items
}

/** @returns false where the body has something else of that name */
function setList(value: unknown, name: string, list: unknown[]): boolean {
  const of = value as Record<string, unknown>
  if (!Array.isArray(of[name])) return false
  of[name] = list
  return true
}
