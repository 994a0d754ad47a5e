import { type Location, MOST_CHARACTERS, type TextPiece } from './messages.ts'

/** Takes the text of a file, and passes it on in pieces. */
export interface Writer {
  /** Says where the text that follows stands. */
  at(location: Location): void
  /** @throws Enough when there is as much as is kept of any file */
  write(text: string): void
  /** Passes on the rest of the text. @returns whether there was more than blank text */
  end(): boolean
}

/** There is as much text as is kept: nothing is wrong, and nothing more need be read. */
export class TextLimitReached extends Error {
  override readonly name = 'Enough'
}

/** Characters of a piece, and of what is passed on in one go. */
const PIECE = 16 * 1024
const LOAD = 64 * 1024
const LONGEST_NAME = 200
/** What no text needs, and databases and terminals trip over. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g

export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '')
}

export function createWriter(pass: (pieces: TextPiece[]) => void, most = MOST_CHARACTERS): Writer {
  let location: Location = {}
  let text = ''
  let load: TextPiece[] = []
  let loaded = 0
  let left = most
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

  /** Makes pieces of what has been written, as long as it is more than one. */
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

/** Behind the last line that is whole, or at least not within a character. */
function endOfPiece(text: string, from: number): number {
  const half = from + PIECE / 2
  // In the second half alone: in a text of one line all of it would be gone through for each piece.
  const line = text.slice(half, from + PIECE).lastIndexOf('\n')
  return line > 0 ? half + line + 1 : cutAt(text, from + PIECE)
}

/** A place to cut at: before a character of two halves, not within it. */
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
