import { partsOf, type Writer } from '../common/writer.ts'

/** Written in parts, so that nothing is held twice. */
const PART = 256 * 1024
/** The same of what has escapes: what each leaves behind is gone before the next part. */
const ESCAPED_PART = 16 * 1024
/** Characters of the longest escape. */
const ESCAPE = 6

/** Text as it stands. */
export function readPlainText(text: string, writer: Writer): void {
  for (const part of partsOf(text, PART)) writer.write(part)
}

/** JSON as it stands, with the letters that it may have written as numbers; in parts, so that no second text is made of it. */
export function readJson(text: string, writer: Writer): void {
  let half = ''
  for (let from = 0; from < text.length; ) {
    const end = endOfEscapes(text, from, from + ESCAPED_PART)
    const letters = half + withLetters(text.slice(from, end))
    from = end
    // Of a character that is written as two numbers both halves are written at once.
    const isHalf = from < text.length && /[\ud800-\udbff]$/.test(letters)
    half = isHalf ? letters.slice(-1) : ''
    writer.write(isHalf ? letters.slice(0, -1) : letters)
  }
}

function withLetters(text: string): string {
  if (!text.includes('\\')) return text
  // Two of them stand for one, whatever follows.
  return text.replace(/\\\\|\\u([0-9a-f]{4})/gi, (written, code: string | undefined) => {
    const unit = code === undefined ? 0 : Number.parseInt(code, 16)
    return unit > 0x9f ? String.fromCharCode(unit) : written
  })
}

/** Where a part may end that begins at `from`: not within `\\` or `\u00fc`, which one that stands before it may be. */
function endOfEscapes(text: string, from: number, end: number): number {
  if (end >= text.length) return text.length
  const last = text.slice(end - ESCAPE, end).lastIndexOf('\\')
  if (last < 0) return end
  const at = end - ESCAPE + last
  let begin = at
  while (begin > from && text[begin - 1] === '\\') begin -= 1
  // An even number of them are pairs, and what follows is no escape.
  const isEscape = (at - begin) % 2 === 0
  return isEscape && at > from ? at : end
}

/** Lines that are longer are none: to look for the end of one takes the square of its length. */
const LONGEST_HEADING = 1_000
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*\s*$/
const LETTER = /[\p{L}\p{N}]/u
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/

/** Markdown as it stands; each part knows the heading above it. */
export function readMarkdown(text: string, writer: Writer): void {
  let fence: string | undefined
  /** Held back until the next line has said whether it is a heading. */
  let held = ''
  for (const line of linesOf(text)) {
    const isFenced = fence !== undefined
    if (!isFenced && UNDERLINE.test(line) && LETTER.test(held)) writer.at({ heading: held })
    writer.write(held)
    held = line
    const [, mark] = FENCE.exec(line) ?? []
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = isFenced ? undefined : mark
    const heading = isFenced || line.length > LONGEST_HEADING ? undefined : HEADING.exec(line)?.[1]
    if (heading === undefined) continue
    writer.at({ heading })
    writer.write(held)
    held = ''
  }
  writer.write(held)
}

/** Lines with what ends them. */
function* linesOf(text: string): Generator<string> {
  let from = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end + 1)
    from = end + 1
  }
  if (from < text.length) yield text.slice(from)
}
