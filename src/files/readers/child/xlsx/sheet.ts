import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { type Attributes, parseXml } from '../container/xml.ts'
import { type CellFormat, formatValue } from './cell-format.ts'
import { readHeaderFooter } from './header-footer.ts'
import { toCellText } from './shared-strings.ts'

/** What the cells of a book share. */
export interface Book {
  strings: string[]
  /** Of each style of cells; undefined where the book has no styles. */
  formats: (CellFormat | undefined)[] | undefined
  is1904: boolean
  /** Cells of all its sheets so far. */
  cells: number
}

/** Columns that are empty in between are told by so many tabs at most. */
const MOST_TABS = 16
/** Digits that a number of a spreadsheet has; what Excel writes beyond them is noise. */
const DIGITS = 15

/** What pages have above and below the cells; it stands behind them. */
const MARGINS = new Set(['oddHeader', 'oddFooter', 'evenHeader', 'evenFooter', 'firstHeader', 'firstFooter'])

/** Characters that are written in one go. */
const LOAD = 8 * 1024

/**
 * Writes a row a line, cells divided by tabs, behind them what its pages have above and below. Rows and cells that hold
 * nothing take no room, however far out they stand.
 * @throws Refusal corrupt, where a cell refers to a text or a style that the book has not
 */
export async function readSheet(content: AsyncIterable<Buffer>, book: Book, writer: Writer): Promise<void> {
  let rows = ''
  /** Of this row: the column of the cell before this one, and of the last that holds something. */
  let previous = 0
  let written = 0
  /** Of this cell; there are too many to make an object for each. */
  let isCell = false
  let column = 0
  let type: string | undefined
  let style: string | undefined
  let value = ''
  let formula = ''
  let collects: 'value' | 'formula' | 'margin' | undefined
  let margin = ''
  const margins: string[] = []
  let phonetic = 0

  function open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'row':
        endRow()
        break
      case 'c':
        book.cells += 1
        if (book.cells > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 cells')
        column = columnOf(attributes.r) ?? previous + 1
        previous = column
        isCell = true
        type = attributes.t
        style = attributes.s
        value = ''
        formula = ''
        break
      case 'rPh':
        phonetic += 1
        break
      case 'v':
        collects = 'value'
        break
      case 't':
        collects = phonetic === 0 ? 'value' : undefined
        break
      case 'f':
        collects = 'formula'
        break
      default:
        if (!MARGINS.has(name)) return
        collects = 'margin'
        margin = ''
    }
  }

  function text(part: string): void {
    if (collects === 'margin' && margin.length < LIMITS.node) margin += part
    if (collects === undefined || !isCell) return
    if (collects === 'value') value += part
    else formula += part
    if (value.length + formula.length > LIMITS.node)
      throw new Refusal('too_large', 'a cell of more than 1 MiB')
  }

  function close(name: string): void {
    switch (name) {
      case 'v':
      case 't':
      case 'f':
        collects = undefined
        break
      case 'rPh':
        phonetic -= 1
        break
      case 'c':
        put(shownValue())
        isCell = false
        break
      case 'row':
        endRow()
        break
      default:
        if (!MARGINS.has(name)) return
        collects = undefined
        margins.push(...readHeaderFooter(margin))
    }
  }

  function put(shown: string): void {
    if (shown === '') return
    if (written > 0) rows += tabs(column - written)
    rows += shown
    written = column
    if (rows.length > LOAD) writeRows()
  }

  function endRow(): void {
    if (written > 0) rows += '\n'
    written = previous = 0
  }

  function writeRows(): void {
    writer.write(rows)
    rows = ''
  }

  /** The value that was calculated last; the formula where there is none. */
  function shownValue(): string {
    if (value === '') return formula === '' ? '' : `=${toCellText(formula)}`
    if (type === 's') return book.strings[Number(value)] ?? lacks('text', value)
    if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE'
    if (type !== undefined && type !== 'n') return toCellText(value)
    const format = style === undefined ? undefined : formatOf(style)
    return (format && formatValue(format, Number(value), book.is1904)) ?? numberText(value)
  }

  /** Of a book without styles the first one is what a cell has that names none. */
  function formatOf(style: string): CellFormat | undefined {
    if (book.formats === undefined && Number(style) === 0) return undefined
    return book.formats?.[Number(style)] ?? lacks('style', style)
  }

  await parseXml(content, { open, text, close })
  endRow()
  for (const line of new Set(margins)) rows += `${line}\n`
  writeRows()
}

function lacks(what: string, number: string): never {
  throw new Refusal('corrupt', `it lacks the ${what} ${number.slice(0, 20)}`)
}

/** `0.30000000000000004` → `0.3`; what has no such noise is left as it is. */
function numberText(value: string): string {
  if (value.length <= DIGITS || !/0{5}|9{5}/.test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? String(Number(number.toPrecision(DIGITS))) : value
}

function tabs(columns: number): string {
  return columns <= 1 ? '\t' : '\t'.repeat(Math.min(columns, MOST_TABS))
}

/** `BC12` → 55. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined
  let column = 0
  for (let at = 0; at < 3; at += 1) {
    const letter = reference.charCodeAt(at) & ~0x20
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column === 0 ? undefined : column
}
