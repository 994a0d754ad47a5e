import { crc32 } from 'node:zlib'
import type { TextPiece } from './readers/reading.ts'

/** Characters of one line at most: a page of a text is some lines. */
const LONGEST = 64 * 1024
const NEWLINE = 10

/** The stored text differs from the one that was written. */
export class AlteredTextError extends Error {
  override readonly name = 'AlteredTextError'
}

/** A piece, and where the one after it begins. */
interface StoredPiece extends TextPiece {
  next: number
}

/** Pieces as they are stored: a line each, with its checksum before it, so that one can begin to read at any of them. */
export function* encodePieces(pieces: Iterable<TextPiece>): Generator<Uint8Array> {
  for (const { text, location } of pieces)
    for (const part of partsOf(text)) {
      const json = JSON.stringify({ text: part, location })
      yield Buffer.from(`${checksum(json)} ${json}\n`)
    }
}

/**
 * Reads pieces as they were stored.
 * @param at where the first line begins
 * @throws AlteredTextError
 */
export async function* decodePieces(source: AsyncIterable<Uint8Array>, at = 0): AsyncGenerator<StoredPiece> {
  let rest: Uint8Array[] = []
  let next = at
  for await (const bytes of source) {
    let begin = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
      const line = Buffer.concat([...rest, bytes.subarray(begin, end)])
      rest = []
      begin = end + 1
      next += line.length + 1
      yield { ...parse(line.toString()), next }
    }
    rest.push(bytes.subarray(begin))
  }
  if (rest.some(({ length }) => length > 0)) throw new AlteredTextError('the last line has no end')
}

function parse(line: string): TextPiece {
  const json = line.slice(9)
  if (line.slice(0, 9) !== `${checksum(json)} `) throw new AlteredTextError('a line has another checksum')
  return JSON.parse(json)
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0')
}

/** Cuts a text into parts, never within a surrogate pair. */
function* partsOf(text: string): Generator<string> {
  let begin = 0
  while (begin < text.length) {
    let end = Math.min(begin + LONGEST, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1
    yield text.slice(begin, end)
    begin = end
  }
}
