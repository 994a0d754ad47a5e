import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { type Attributes, parseXml } from '../container/xml.ts'
import { toDateText } from './dates.ts'
import { fromEscapes } from './strings.ts'
import type { Meaning } from './styles.ts'

/** What the cells of a book share. */
export interface Book {
  strings: string[]
  meanings: Meaning[]
  is1904: boolean
  /** Cells of all its sheets so far. */
  cells: number
}

/** Columns that are empty in between are told by so many tabs at most. */
const MOST_TABS = 16
/** Digits that a number of a spreadsheet has; what Excel writes beyond them is noise. */
const DIGITS = 15

interface Cell {
  column: number
  type: string
  style: string | undefined
}

/** Writes a row a line, cells divided by tabs. Rows and cells that hold nothing take no room, however far out they stand. */
export async function readSheet(content: AsyncIterable<Buffer>, book: Book, writer: Writer): Promise<void> {
  let row = ''
  let lastColumn = 0
  let cell: Cell | undefined
  let value = ''
  let formula = ''
  let collects: 'value' | 'formula' | undefined
  let phonetic = 0
  let previous = 0

  function open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'row':
        row = ''
        lastColumn = previous = 0
        break
      case 'c':
        book.cells += 1
        if (book.cells > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 cells')
        previous = columnOf(attributes.r) ?? previous + 1
        cell = { column: previous, type: attributes.t ?? 'n', style: attributes.s }
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
    }
  }

  function text(part: string): void {
    if (collects === undefined || cell === undefined) return
    if (collects === 'value') value += part
    else formula += part
    if (value.length > LIMITS.node) throw new Refusal('too_large', 'a cell of more than 1 MiB')
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
        if (cell !== undefined) put(cell)
        cell = undefined
        break
      case 'row':
        if (row !== '') writer.write(`${row}\n`)
        row = ''
    }
  }

  function put({ column, type, style }: Cell): void {
    const shown = shownValue(type, style)
    if (shown === '') return
    const tabs = lastColumn === 0 ? 0 : Math.min(Math.max(column - lastColumn, 1), MOST_TABS)
    row += `${'\t'.repeat(tabs)}${shown.replace(/[\t\r\n]+/g, ' ')}`
    lastColumn = column
    if (row.length > LIMITS.node) {
      writer.write(row)
      row = ''
    }
  }

  /** What was last calculated; where nobody has, the formula. */
  function shownValue(type: string, style: string | undefined): string {
    if (value === '') return formula === '' ? '' : `=${formula}`
    if (type === 's') return book.strings[Number(value)] ?? ''
    if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE'
    if (type !== 'n') return fromEscapes(value)
    const meaning = style === undefined ? 'number' : (book.meanings[Number(style)] ?? 'number')
    return (
      (meaning === 'number' ? undefined : toDateText(Number(value), meaning, book.is1904)) ??
      numberText(value)
    )
  }

  await parseXml(content, { open, text, close })
}

/** `0.30000000000000004` → `0.3`. */
function numberText(value: string): string {
  if (value.length <= DIGITS) return value
  const number = Number(value)
  return Number.isFinite(number) ? String(Number(number.toPrecision(DIGITS))) : value
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
