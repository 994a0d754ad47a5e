import { crc32 } from 'node:zlib'
import { cutAt } from '../core/text/cut-at.ts'
import type { TextPiece } from './readers/reading.ts'

/** Characters of one line at most. A page of a text is a few lines. */
const LONGEST = 64 * 1024
const NEWLINE = 10

/** The stored text differs from the one that was written. */
export class AlteredTextError extends Error {
  override readonly name = 'AlteredTextError'
}

/** A piece, and the offset of the next one. */
interface StoredPiece extends TextPiece {
  next: number
}

/** Encodes pieces for storage: a line each, after its checksum, so that a reader can begin at any line. */
export function* encodePieces(pieces: Iterable<TextPiece>): Generator<Uint8Array> {
  for (const { text, location } of pieces)
    for (const part of partsOf(text)) {
      const json = JSON.stringify({ text: part, location })
      yield Buffer.from(`${checksum(json)} ${json}\n`)
    }
}

/**
 * Decodes stored pieces.
 * @param at the offset of the first line
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
    const end = cutAt(text, Math.min(begin + LONGEST, text.length))
    yield text.slice(begin, end)
    begin = end
  }
}
