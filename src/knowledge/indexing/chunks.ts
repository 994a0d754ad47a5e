import { isLowSurrogate } from '../../core/text/terms.ts'
import type { Location, Piece } from '../deps.ts'

/** A chunk: the unit that a search finds. */
export interface Chunk extends Piece {}

/** Characters of a chunk at most. */
export const CHUNK_LENGTH = 1_600
/** Characters that a chunk shares with the next one, so that text at a cut is found as a whole. */
export const OVERLAP = 200
/** A cut is looked for behind so many characters; nothing better than a word's end is found before. */
const SHORTEST = CHUNK_LENGTH / 2

const SENTENCE_END = /[.!?…。！？][)\]"'”’»]*\s|[。！？]/g

/**
 * Cuts texts into chunks: never across places, at the end of a paragraph where there is one, else of a sentence, a line or a
 * word, and never within a character.
 * @yields undefined for a stretch of blanks, so that the reader can give others a turn
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

/** Pieces of one place that follow each other are one: a text may come in parts, with nothing between them. */
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
  return isLowSurrogate(text, most) ? most - 1 : most
}

function lastSentenceEnd(window: string): number {
  let last = -1
  for (const found of window.matchAll(SENTENCE_END)) last = found.index + found[0].trimEnd().length
  return last
}

/** Where the next chunk begins: at a word, some way before the last one's end, and always further on. */
function nextStart(text: string, start: number, end: number): number {
  // Behind a gap nothing belongs to what was before, and the chunk could be all repetition.
  if (text.slice(end, end + OVERLAP).trim() === '') return end
  const from = Math.max(end - OVERLAP, start + 1)
  const space = text.slice(from, end).search(/\s/)
  // What has no spaces is repeated from anywhere but the middle of a character.
  if (space < 0) return isLowSurrogate(text, from) ? from + 1 : from
  return from + space
}

/**
 * A heading, or the beginning or end of a block of code. Each line is read once: the end of a heading is removed from the rest
 * of the line.
 */
const MARK = /^ {0,3}(?:#{1,6}[ \t]+(\S.*)|(`{3,}|~{3,}).*)$/gm

/** A text as pieces: what stands below a heading of Markdown is of one place; within code there is none. */
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
  const end = isLowSurrogate(line, LONGEST_HEADING) ? LONGEST_HEADING - 1 : LONGEST_HEADING
  return line.slice(0, end).replace(/[ \t\r#]+$/, '') || undefined
}

function piece(text: string, heading: string | undefined): Piece {
  return { text, location: heading === undefined ? {} : { heading } }
}
