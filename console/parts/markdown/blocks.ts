import type { Block, Counter, TopBlock } from './kinds.ts'
import { readTable } from './tables.ts'

/** Quotes and lists are nested at most this deep; a deeper one is text. */
const DEEPEST = 8

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/
const QUOTE = /^ {0,3}> ?/
const MARKER = /^( *)([-*+]|(\d{1,9})[.)])(?:( +)|$)/
const TASK = /^\[([ xX])\] /

/** The state of one reading. */
interface Reading {
  counter: Counter
  /** The level of the last heading: no heading is more than one level below the heading before it. */
  level: number
}

/**
 * Reads the blocks of a Markdown text (a part of CommonMark and GFM: headings with `#`, paragraphs, fenced and indented code, quotes,
 * lists, tables, rules). HTML, reference links and underlined headings are plain text. Each line is read once for each quote and
 * list around it, eight at most: the cost is linear in the length of the text.
 * @param above the level of the heading that the text stands under
 */
export function readBlocks(text: string, above: number, counter: Counter): TopBlock[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const reading: Reading = { counter, level: above }
  const blocks: TopBlock[] = []
  let level = above
  readLines(lines, 0, reading, (block, from, to) => {
    blocks.push({ raw: lines.slice(from, to).join('\n'), above: level, block })
    level = reading.level
  })
  return blocks
}

type Give = (block: Block, from: number, to: number) => void

/** A block that begins at a line, and the line behind its end; undefined where no such block begins. */
type Reader = (lines: string[], at: number, depth: number, reading: Reading) => [Block, number] | undefined

/** What may begin at a line, in the order in which it is tried. Everything else is a paragraph. */
const READERS: Reader[] = [readFence, readHeading, readRule, readQuote, readList, readTable]

function readLines(lines: string[], depth: number, reading: Reading, give: Give): void {
  let begun = -1
  const endParagraph = (at: number): void => {
    if (begun >= 0) give({ kind: 'paragraph', text: textOfLines(lines.slice(begun, at)) }, begun, at)
    begun = -1
  }
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    reading.counter.steps += line.length + 1
    if (isBlank(line)) endParagraph(at)
    else {
      const found = depth > DEEPEST ? undefined : readBlock(lines, at, depth, reading, begun >= 0)
      if (found !== undefined) {
        endParagraph(at)
        give(found[0], at, found[1])
        at = found[1]
        continue
      }
      if (begun < 0) begun = at
    }
    at += 1
  }
  endParagraph(lines.length)
}

function readBlock(
  lines: string[],
  at: number,
  depth: number,
  reading: Reading,
  isInParagraph: boolean,
): [Block, number] | undefined {
  const marker = MARKER.exec(lines[at] ?? '')
  // A number at the beginning of a line within a text begins a list only where it is the first one.
  const isText = isInParagraph && marker !== null && (marker[4] === undefined || Number(marker[3] ?? 1) !== 1)
  for (const read of READERS) {
    const found = isText && read === readList ? undefined : read(lines, at, depth, reading)
    if (found !== undefined) return found
  }
  return isInParagraph ? undefined : readIndented(lines, at)
}

function readFence(
  lines: string[],
  at: number,
  _depth: number,
  { counter }: Reading,
): [Block, number] | undefined {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)?.[1]
  if (fence === undefined) return undefined
  const indent = indentOf(line)
  const inner: string[] = []
  let next = at + 1
  while (next < lines.length) {
    const one = lines[next] ?? ''
    counter.steps += one.length + 1
    next += 1
    const close = one.trim()
    if (close.length >= fence.length && indentOf(one) < 4 && isAll(close, fence[0] ?? '')) break
    inner.push(one.slice(Math.min(indent, indentOf(one))))
  }
  return [{ kind: 'code', text: inner.join('\n') }, next]
}

function readIndented(lines: string[], at: number): [Block, number] | undefined {
  const isCode = (line: string) => line.startsWith('    ') || line.startsWith('\t')
  let end = at
  while (end < lines.length && isCode(lines[end] ?? '')) end += 1
  if (end === at) return undefined
  const inner = lines.slice(at, end).map((line) => line.slice(line.startsWith('\t') ? 1 : 4))
  return [{ kind: 'code', text: inner.join('\n') }, end]
}

function readHeading(
  lines: string[],
  at: number,
  _depth: number,
  reading: Reading,
): [Block, number] | undefined {
  const line = lines[at] ?? ''
  const found = HEADING.exec(line)
  if (found === null) return undefined
  let text = line.slice(found[0].length).trim()
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  if (end === 0 || text[end - 1] === ' ') text = text.slice(0, end).trim()
  reading.level = Math.min((found[1] ?? '').length + 2, reading.level + 1, 6)
  return [{ kind: 'heading', level: reading.level, text }, at + 1]
}

function readRule(lines: string[], at: number): [Block, number] | undefined {
  return isRule(lines[at] ?? '') ? [{ kind: 'rule' }, at + 1] : undefined
}

function readQuote(
  lines: string[],
  at: number,
  depth: number,
  reading: Reading,
): [Block, number] | undefined {
  const inner: string[] = []
  let next = at
  for (; next < lines.length; next += 1) {
    const found = QUOTE.exec(lines[next] ?? '')
    if (found === null) break
    inner.push((lines[next] ?? '').slice(found[0].length))
  }
  return next === at ? undefined : [{ kind: 'quote', blocks: within(inner, depth, reading) }, next]
}

function readList(lines: string[], at: number, depth: number, reading: Reading): [Block, number] | undefined {
  const first = MARKER.exec(lines[at] ?? '')
  if (first === null || (first[1] ?? '').length > 3) return undefined
  const sign = (first[2] ?? '').slice(-1)
  const outer = (first[1] ?? '').length
  const items: string[][] = []
  let width = 0
  let next = at
  let blanks = 0
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? ''
    reading.counter.steps += line.length + 1
    if (isBlank(line)) {
      blanks += 1
      continue
    }
    const indent = indentOf(line)
    const marker = indent < Math.min(width || outer + 1, outer + 2) ? MARKER.exec(line) : null
    const isNext = marker !== null && (marker[2] ?? '').endsWith(sign) && !isRule(line)
    const item = items.at(-1)
    const isInside = indent >= Math.min(width, outer + 2)
    if (isNext) {
      width = widthOf(marker)
      items.push([line.slice(width)])
    } else if (item === undefined || (!isInside && (blanks > 0 || beginsBlock(line)))) break
    else {
      for (let blank = 0; blank < blanks; blank += 1) item.push('')
      item.push(line.slice(Math.min(indent, width)))
    }
    blanks = 0
  }
  if (items.length === 0) return undefined
  const start = first[3] === undefined ? undefined : Number(first[3])
  const read = items.map((item) => within(withTask(item), depth, reading))
  return [{ kind: 'list', start, items: read }, next - blanks]
}

/** The blocks within a quote or an item of a list. */
function within(lines: string[], depth: number, reading: Reading): Block[] {
  const blocks: Block[] = []
  readLines(lines, depth + 1, reading, (block) => void blocks.push(block))
  return blocks
}

/** `[x] done` → `☑ done`. */
function withTask([first = '', ...others]: string[]): string[] {
  const found = TASK.exec(first)
  return found === null
    ? [first, ...others]
    : [`${found[1] === ' ' ? '☐' : '☑'} ${first.slice(4)}`, ...others]
}

/** How far the text of an item is indented by its marker. */
function widthOf([, indent = '', sign = '', , blanks = '']: RegExpExecArray): number {
  return indent.length + sign.length + (blanks.length >= 1 && blanks.length <= 4 ? blanks.length : 1)
}

function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ') at += 1
  return at
}

/** Whether a line ends the text of an item that it would continue otherwise. */
const beginsBlock = (line: string) =>
  [FENCE, HEADING, QUOTE, MARKER].some((pattern) => pattern.test(line)) || isRule(line)

function isRule(line: string): boolean {
  const signs = line.replaceAll(' ', '').replaceAll('\t', '')
  return (
    indentOf(line) < 4 && signs.length >= 3 && '-*_'.includes(signs[0] ?? '') && isAll(signs, signs[0] ?? '')
  )
}

const isBlank = (line: string) => line.trim() === ''

/** Whether a text is one sign, again and again. */
function isAll(text: string, sign: string): boolean {
  for (const one of text) if (one !== sign) return false
  return true
}

/** The lines of a paragraph as a text, without their indentation. */
const textOfLines = (lines: string[]) =>
  lines
    .map((line) => line.trimStart())
    .join('\n')
    .trimEnd()
