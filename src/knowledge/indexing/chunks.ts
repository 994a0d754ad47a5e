import { cutAt } from '../../core/text/cut-at.ts'
import type { Location, Piece } from '../deps.ts'

/** A chunk: the unit that a search finds. */
export interface Chunk extends Piece {}

/** Characters of a chunk, at most. */
export const CHUNK_LENGTH = 1_600
/** Characters that a chunk shares with the next one, so that a sentence at a cut is in one chunk as a whole. */
export const OVERLAP = 200
/** The least length of a chunk that is cut at a paragraph, a sentence or a word. */
const SHORTEST = CHUNK_LENGTH / 2

const SENTENCE_END = /[.!?…。！？][)\]"'”’»]*\s|[。！？]/g

/**
 * Cuts texts into chunks: never across locations, preferably at the end of a paragraph, else of a sentence, a line or a word, and never
 * within a surrogate pair.
 * @yields undefined for blank text, so that the caller can yield to the event loop
 */
export function* chunksOf(pieces: Iterable<Piece>): Generator<Chunk | undefined> {
  for (const { text, location } of joined(pieces)) {
    let start = 0
    while (start < text.length) {
      const end = endOf(text, start)
      const chunk = text.slice(start, end).trim()
      yield chunk === '' ? undefined : { text: chunk, location }
      if (end >= text.length) break
      start = chunk === '' ? end : nextStart(text, start, end)
    }
  }
}

/** Joins successive pieces of one location, because a text may come in parts. */
function* joined(pieces: Iterable<Piece>): Generator<Piece> {
  let open: Piece | undefined
  for (const piece of pieces) {
    if (open !== undefined && isSamePlace(open.location, piece.location)) {
      open = { text: open.text + piece.text, location: open.location }
      continue
    }
    if (open !== undefined) yield open
    open = piece
  }
  if (open !== undefined) yield open
}

function isSamePlace(a: Location, b: Location): boolean {
  return a.page === b.page && a.sheet === b.sheet && a.heading === b.heading
}

function endOf(text: string, start: number): number {
  const most = start + CHUNK_LENGTH
  if (most >= text.length) return text.length
  const window = text.slice(start, most)
  const paragraph = window.lastIndexOf('\n\n')
  if (paragraph >= SHORTEST) return start + paragraph
  const sentence = lastSentenceEnd(window)
  if (sentence >= SHORTEST) return start + sentence
  const gap = Math.max(window.lastIndexOf('\n'), window.lastIndexOf(' '))
  if (gap >= SHORTEST) return start + gap
  return cutAt(text, most)
}

function lastSentenceEnd(window: string): number {
  let last = -1
  for (const found of window.matchAll(SENTENCE_END)) last = found.index + found[0].trimEnd().length
  return last
}

/** The start of the next chunk: at a word, up to `OVERLAP` before the end of the last one, and always after its start. */
function nextStart(text: string, start: number, end: number): number {
  // After a gap the overlap has no use, and the chunk could consist of repetition only.
  if (text.slice(end, end + OVERLAP).trim() === '') return end
  const from = Math.max(end - OVERLAP, start + 1)
  const space = text.slice(from, end).search(/\s/)
  // Text without spaces is repeated from any point that is not within a surrogate pair.
  if (space < 0) return cutAt(text, from) < from ? from + 1 : from
  return from + space
}

/**
 * A Markdown heading, or the fence of a code block. The pattern reads each line once; closing marks of a heading are removed later.
 */
const MARK = /^ {0,3}(?:#{1,6}[ \t]+(\S.*)|(`{3,}|~{3,}).*)$/gm

/** Splits a text at its Markdown headings, except within code blocks. */
export function* piecesOfText(text: string): Generator<Piece> {
  let start = 0
  let heading: string | undefined
  let fence: string | undefined
  for (const found of text.matchAll(MARK)) {
    const [, line = '', mark] = found
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined
    if (mark !== undefined || fence !== undefined) continue
    if (found.index > start) yield piece(text.slice(start, found.index), heading)
    heading = headingOf(line)
    start = found.index
  }
  yield piece(text.slice(start), heading)
}

const LONGEST_HEADING = 200

function headingOf(line: string): string | undefined {
  return line.slice(0, cutAt(line, LONGEST_HEADING)).replace(/[ \t\r#]+$/, '') || undefined
}

function piece(text: string, heading: string | undefined): Piece {
  return { text, location: heading === undefined ? {} : { heading } }
}
