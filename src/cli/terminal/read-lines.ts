import { createReadStream } from 'node:fs'

/** A line of a file with its number from 1; `text` is undefined for a line that is too long. */
export interface FileLine {
  number: number
  text: string | undefined
}

/** Longest line in bytes; a longer one is skipped without being held in memory. */
const LONGEST_LINE = 64 * 1_024
const NEWLINE = 0x0a

/** Streams the lines of a UTF-8 file of any size. */
export async function* readLines(path: string): AsyncGenerator<FileLine, void, undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  let number = 0
  const add = (bytes: Uint8Array) => {
    length += bytes.length
    if (length <= LONGEST_LINE) parts.push(bytes)
  }
  const end = (): FileLine => {
    number += 1
    const text = length > LONGEST_LINE ? undefined : Buffer.concat(parts).toString('utf8')
    parts = []
    length = 0
    return { number, text: number === 1 ? text?.replace(/^\uFEFF/, '') : text }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at))
      yield end()
      start = at + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield end()
}
