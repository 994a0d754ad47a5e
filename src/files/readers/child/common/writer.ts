import { type Location, MOST_CHARACTERS, type TextPiece } from './messages.ts'

/** Collects the text of a file, and passes it on in pieces. */
export interface Writer {
  /** Sets the location of the following text. */
  at(location: Location): void
  /** @throws TextLimitReached when the text has its largest length */
  write(text: string): void
  /** Passes on the remaining text. @returns whether the text had any visible character */
  end(): boolean
}

/** The text has its largest length. This is no failure; the rest of the file is not read. */
export class TextLimitReached extends Error {
  override readonly name = 'Enough'
}

/** Characters of a piece, and of the pieces of one message. */
const PIECE = 16 * 1024
const LOAD = 64 * 1024
const LONGEST_NAME = 200
/** Control characters, which texts do not need and which databases and terminals mishandle. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g

export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '')
}

export function createWriter(pass: (pieces: TextPiece[]) => void): Writer {
  let location: Location = {}
  let text = ''
  let load: TextPiece[] = []
  let loaded = 0
  let left = MOST_CHARACTERS
  let isBlank = true

  function passOn(): void {
    if (load.length > 0) pass(load)
    load = []
    loaded = 0
  }

  function put(piece: string): void {
    if (piece === '') return
    load.push({ text: piece, location })
    loaded += piece.length
    if (loaded >= LOAD) passOn()
  }

  /** Cuts the written text into pieces, except for the last one. */
  function cut(): void {
    let from = 0
    while (text.length - from > PIECE) {
      const end = endOfPiece(text, from)
      put(text.slice(from, end))
      from = end
    }
    text = text.slice(from)
  }

  function flush(): void {
    cut()
    put(text)
    text = ''
  }

  return {
    at(next) {
      flush()
      location = shorten(next)
    },
    write(raw) {
      const written = withoutControls(raw.toWellFormed())
      isBlank &&= !/\S/.test(written)
      const kept = written.length > left ? written.slice(0, cutAt(written, left)) : written
      left -= kept.length
      text += kept
      if (text.length > 2 * PIECE) cut()
      if (kept.length < written.length) throw new TextLimitReached()
    },
    end() {
      flush()
      passOn()
      return !isBlank
    },
  }
}

/** The end of a piece: after the last complete line, else not within a surrogate pair. */
function endOfPiece(text: string, from: number): number {
  const half = from + PIECE / 2
  // Only the second half is searched, so that a long line is not searched again for each piece.
  const line = text.slice(half, from + PIECE).lastIndexOf('\n')
  return line > 0 ? half + line + 1 : cutAt(text, from + PIECE)
}

/** Moves a cut before a surrogate pair that it would split. */
export function cutAt(text: string, place: number): number {
  const before = text.charCodeAt(place - 1)
  return before >= 0xd800 && before < 0xdc00 ? place - 1 : place
}

/** Cuts a text into parts of about `length`, never within a surrogate pair. */
export function* partsOf(text: string, length: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = cutAt(text, from + length)
    yield text.slice(from, end)
    from = end
  }
}

function shorten({ page, sheet, heading }: Location): Location {
  function short(name: string): string {
    const clean = name.toWellFormed().replace(CONTROLS, ' ').trim()
    return clean.slice(0, cutAt(clean, LONGEST_NAME))
  }
  return {
    ...(page !== undefined && { page }),
    ...(sheet !== undefined && { sheet: short(sheet) }),
    ...(heading !== undefined && { heading: short(heading) }),
  }
}
