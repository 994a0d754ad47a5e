import { Parser } from 'htmlparser2'
import { LIMITS } from '../common/limits.ts'
import type { Location } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'
import { partsOf, type Writer } from '../common/writer.ts'

const PART = 64 * 1024
/** Elements without visible text. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object'])
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const BLOCKS = new Set(
  `address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form
   h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section summary table tbody tfoot thead title tr ul`.split(
    /\s+/,
  ),
)
const CELLS = new Set(['td', 'th'])

/** Writes the visible text of a page, one block per line. Nothing that the page refers to is fetched. */
export function readHtml(text: string, writer: Writer, where: Location = {}): void {
  let depth = 0
  let silent = 0
  let heading: string | undefined
  let isLineBegun = false
  let hasSpace = false
  /** Depth of `pre` elements, in which lines and spaces are kept. */
  let pre = 0
  let isPreBegun = false

  function breakLine(): void {
    if (isLineBegun) writer.write('\n')
    isLineBegun = false
    hasSpace = false
  }

  function writeVerbatim(words: string): void {
    if (words === '') return
    writer.write(words)
    isLineBegun = !words.endsWith('\n')
    hasSpace = false
  }

  function write(words: string): void {
    // A line end directly after the tag is not part of the text.
    if (pre > 0 && heading === undefined) {
      writeVerbatim(isPreBegun ? words : words.replace(/^\r?\n/, ''))
      isPreBegun = true
      return
    }
    const text = words.replace(/\s+/g, ' ')
    if (heading !== undefined) {
      heading += text
      return
    }
    const trimmed = isLineBegun && !hasSpace ? text : text.trimStart()
    if (trimmed === '') return
    writer.write(trimmed)
    isLineBegun = true
    hasSpace = trimmed.endsWith(' ')
  }

  function endHeading(): void {
    const title = heading?.replace(/ +/g, ' ').trim()
    heading = undefined
    if (title === undefined || title === '') return
    writer.at({ ...where, heading: title })
    writer.write(`${title}\n`)
  }

  const parser = new Parser(
    {
      onopentagname(name) {
        depth += 1
        if (depth > LIMITS.htmlDepth) throw new Refusal('too_large', 'elements too deep within one another')
        if (SILENT.has(name)) silent += 1
        if (silent > 0) return
        if (name === 'pre') {
          pre += 1
          isPreBegun = false
        }
        if (HEADINGS.has(name)) {
          endHeading()
          breakLine()
          heading = ''
        } else if (heading !== undefined) heading += BLOCKS.has(name) ? ' ' : ''
        else if (BLOCKS.has(name)) breakLine()
        else if (CELLS.has(name) && isLineBegun) writer.write('\t')
      },
      ontext(words) {
        if (silent === 0) write(words)
      },
      onclosetag(name) {
        depth -= 1
        if (SILENT.has(name)) silent -= 1
        if (silent > 0) return
        if (name === 'pre') pre -= 1
        if (HEADINGS.has(name)) endHeading()
        else if (BLOCKS.has(name) && heading === undefined) breakLine()
      },
    },
    // XHTML allows self-closing tags, `<title/>`; HTML ignores the slash.
    { decodeEntities: true, recognizeSelfClosing: text.startsWith('<?xml') },
  )
  for (const part of partsOf(text, PART)) parser.write(part)
  parser.end()
  endHeading()
  breakLine()
}
