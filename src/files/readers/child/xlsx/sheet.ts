import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { DIGITS, roundNumber } from '../common/round-number.ts'
import type { Writer } from '../common/writer.ts'
import { type Attributes, parseXml } from '../container/xml.ts'
import { type CellFormat, formatValue } from './cell-format.ts'
import { readHeaderFooter } from './header-footer.ts'
import { toCellText } from './shared-strings.ts'

/** The data of a workbook that its cells refer to. */
export interface Book {
  strings: string[]
  /** The number format of each cell style; undefined where the workbook has no styles. */
  formats: (CellFormat | undefined)[] | undefined
  is1904: boolean
  /** The number of cells read so far, in all sheets. */
  cells: number
}

/** Tabs for empty columns in between, at most. */
const MOST_TABS = 16

/** Headers and footers, which follow the cells. */
const MARGINS = new Set(['oddHeader', 'oddFooter', 'evenHeader', 'evenFooter', 'firstHeader', 'firstFooter'])

/** Characters that are written at once. */
const LOAD = 8 * 1024

/**
 * Writes each row as a line with its cells separated by tabs, then the headers and footers. Empty rows and cells take no memory, however
 * far out a cell is.
 * @throws Refusal corrupt, where a cell refers to a missing text or style
 */
export async function readSheet(content: AsyncIterable<Buffer>, book: Book, writer: Writer): Promise<void> {
  let rows = ''
  /** In this row: the column of the previous cell, and of the last written one. */
  let previous = 0
  let written = 0
  /** The current cell, in variables, because an object per cell would be too slow. */
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

  /** The stored value of the cell; its formula where there is none. */
  function shownValue(): string {
    if (value === '') return formula === '' ? '' : `=${toCellText(formula)}`
    if (type === 's') return book.strings[Number(value)] ?? refuseMissing('text', value)
    if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE'
    if (type !== undefined && type !== 'n') return toCellText(value)
    const format = style === undefined ? undefined : formatOf(style)
    return (format && formatValue(format, Number(value), book.is1904)) ?? numberText(value)
  }

  /** In a workbook without styles, style 0 is the default. */
  function formatOf(style: string): CellFormat | undefined {
    if (book.formats === undefined && Number(style) === 0) return undefined
    return book.formats?.[Number(style)] ?? refuseMissing('style', style)
  }

  await parseXml(content, { open, text, close })
  endRow()
  for (const line of new Set(margins)) rows += `${line}\n`
  writeRows()
}

function refuseMissing(what: string, number: string): never {
  throw new Refusal('corrupt', `it lacks the ${what} ${number.slice(0, 20)}`)
}

/** Removes rounding noise: `0.30000000000000004` → `0.3`. */
function numberText(value: string): string {
  if (value.length <= DIGITS || !/0{5}|9{5}/.test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? String(roundNumber(number)) : value
}

function tabs(columns: number): string {
  return columns <= 1 ? '\t' : '\t'.repeat(Math.min(columns, MOST_TABS))
}

/** The column number of a cell reference: `BC12` → 55. */
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
