import { partsOf, type Writer } from '../common/writer.ts'

/** Characters of a part: the text is written in parts, to hold no second copy. */
const PART = 256 * 1024
/** A smaller part for text with escapes, so that the garbage of each part is collected before the next one. */
const ESCAPED_PART = 16 * 1024
/** Characters of the longest escape, `\u00fc`. */
const ESCAPE = 6

/** Writes a text unchanged. */
export function readPlainText(text: string, writer: Writer): void {
  for (const part of partsOf(text, PART)) writer.write(part)
}

/** Writes JSON with its `\u` escapes decoded, in parts, so that no second copy of the text is made. */
export function readJson(text: string, writer: Writer): void {
  let half = ''
  for (let from = 0; from < text.length; ) {
    const end = endOfEscapes(text, from, from + ESCAPED_PART)
    const letters = half + withLetters(text.slice(from, end))
    from = end
    // A surrogate pair of two escapes is written at once.
    const isHalf = from < text.length && /[\ud800-\udbff]$/.test(letters)
    half = isHalf ? letters.slice(-1) : ''
    writer.write(isHalf ? letters.slice(0, -1) : letters)
  }
}

function withLetters(text: string): string {
  if (!text.includes('\\')) return text
  // `\\` is an escaped backslash, and begins no `\u` escape.
  return text.replace(/\\\\|\\u([0-9a-f]{4})/gi, (written, code: string | undefined) => {
    const unit = code === undefined ? 0 : Number.parseInt(code, 16)
    return unit > 0x9f ? String.fromCharCode(unit) : written
  })
}

/** The end of a part that begins at `from`: not within an escape such as `\\` or `\u00fc`. */
function endOfEscapes(text: string, from: number, end: number): number {
  if (end >= text.length) return text.length
  const last = text.slice(end - ESCAPE, end).lastIndexOf('\\')
  if (last < 0) return end
  const at = end - ESCAPE + last
  let begin = at
  while (begin > from && text[begin - 1] === '\\') begin -= 1
  // An even number of backslashes are pairs, so no escape begins at the last one.
  const isEscape = (at - begin) % 2 === 0
  return isEscape && at > from ? at : end
}

/** Longer lines are no headings: the pattern takes quadratic time in the length of a line. */
const LONGEST_HEADING = 1_000
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*\s*$/
const LETTER = /[\p{L}\p{N}]/u
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/

/** Writes Markdown unchanged, each part with the location of the heading above it. */
export function readMarkdown(text: string, writer: Writer): void {
  let fence: string | undefined
  /** Held until the next line shows whether it is a heading. */
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

/** Lines with their line ends. */
function* linesOf(text: string): Generator<string> {
  let from = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end + 1)
    from = end + 1
  }
  if (from < text.length) yield text.slice(from)
}
