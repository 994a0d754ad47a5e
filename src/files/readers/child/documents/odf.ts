import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { roundNumber } from '../common/round-number.ts'
import type { Writer } from '../common/writer.ts'
import { type Attributes, attribute, parseXml, type XmlHandler } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

const CONTENT = 'content.xml'
const STYLES = 'styles.xml'
const MANIFEST = 'META-INF/manifest.xml'
/** Elements without text of the document: tracked deletions, and the marks of notes. */
const SILENT = new Set(['tracked-changes', 'note-citation', 'date-time-decl'])
/** Invisible form fields. */
const UNSEEN = new Set(['hidden', 'password', 'property', 'list-property', 'list-value'])
/** The author and date of a comment, which are not read. */
const SILENT_IN_COMMENTS = new Set(['creator', 'date', 'creator-initials'])
/** Headers and footers, which are among the styles. */
const MARGINS = new Set(['header', 'footer'].flatMap((name) => [name, `${name}-left`, `${name}-first`]))
/** Fields that only a printed page can fill; programs put them into every workbook. */
const PRINTED = new Set(['sheet-name', 'page-number', 'page-count', 'file-name'])
/** Attributes whose value is more exact than the shown text. */
const VALUE_OF: Record<string, string> = { float: 'value', date: 'date-value' }
const MOST_TABS = 16
/** The folder of an embedded document, mostly a chart. */
const OBJECT = /^(?:\.\/)?(Object [\w ]{1,40})\/?$/

/**
 * Reads an OpenDocument text, spreadsheet or presentation, with comments, forms, charts, headers and footers.
 * @throws Refusal corrupt, where a part that it refers to is missing
 */
export async function readOdf(zip: Zip, writer: Writer): Promise<void> {
  const parts = await readManifest(zip)
  const missing = parts.find((part) => /(?:^|\/)(?:content|styles)\.xml$/.test(part) && !zip.has(part))
  if (missing !== undefined) throw new Refusal('corrupt', `it lacks ${missing}`)
  const objects = new Set<string>()
  const reader = createOdfReader(writer, objects)
  await parseXml(zip.content(CONTENT), reader)
  for (const object of objects) await parseXml(zip.content(`${object}/${CONTENT}`), createOdfReader(writer))
  if (zip.has(STYLES)) await parseXml(zip.content(STYLES), reader)
}

/** Reads an OpenDocument file that is a single XML document (`.fodt`, `.fods`, `.fodp`). */
export async function readFlatOdf(content: AsyncIterable<Buffer>, writer: Writer): Promise<void> {
  await parseXml(content, createOdfReader(writer))
}

/** A table cell. */
interface Cell {
  repeats: number
  /** Its value, where it is more exact than the shown text. */
  value: string | undefined
  /** Its value, for a cell that shows no text. */
  unshown: string | undefined
}

/** @param objects receives the folders of embedded documents */
function createOdfReader(writer: Writer, objects?: Set<string>): XmlHandler {
  let page = 0
  let line = ''
  let heading = false
  let silent = 0
  /** Text outside the body is ignored: styles before it contain words, such as separators of dates. */
  let isInBody = false
  let isInMasters = false
  let isInMargin = false
  let isPrinted = false
  let forms = 0
  /** The tables of a spreadsheet are sheets; in other documents they are part of the text. */
  let isBook = false
  let sheet: string | undefined
  let cells = 0
  let row: string[] = []
  let rowRepeats = 1
  let cell: Cell | undefined
  /** The state before the open comment; and finished comments, which are written after their line or row. */
  let outer: { line: string; cell: Cell | undefined; heading: boolean } | undefined
  let comments: string[] = []

  function open(name: string, attributes: Attributes): void {
    if (SILENT.has(name) || (outer !== undefined && SILENT_IN_COMMENTS.has(name))) silent += 1
    if (silent > 0) return
    if (forms > 0 && !UNSEEN.has(name)) writeControl(attributes)
    switch (name) {
      case 'body':
        isInBody = true
        break
      case 'master-styles':
        isInMasters = true
        break
      case 'forms':
        forms += 1
        break
      case 'annotation':
        outer ??= { line, cell, heading }
        line = ''
        cell = undefined
        heading = false
        break
      case 'object': {
        const folder = OBJECT.exec(attribute(attributes, 'href') ?? '')?.[1]
        if (folder !== undefined && objects !== undefined) objects.add(folder)
        break
      }
      case 'page':
        page += 1
        if (page > LIMITS.pages) throw new Refusal('too_large', 'more than 2,000 slides')
        writer.at({ page })
        break
      case 'h':
        heading = true
        break
      case 'tab':
        line += '\t'
        break
      case 'line-break':
        line += '\n'
        break
      case 's':
        line += ' '.repeat(repeats(attributes, 'c', MOST_TABS))
        break
      case 'table':
        if (isBook) sheet = attribute(attributes, 'name')
        break
      case 'spreadsheet':
        isBook = true
        break
      case 'document':
        isBook = /spreadsheet/.test(attribute(attributes, 'mimetype') ?? '')
        break
      case 'table-row':
        row = []
        rowRepeats = repeats(attributes, 'number-rows-repeated')
        break
      case 'table-cell':
      case 'covered-table-cell':
        line = ''
        cell = cellOf(attributes)
        break
      default:
        if (isInMasters && MARGINS.has(name)) isInMargin = true
        if (isInMargin && PRINTED.has(name)) isPrinted = true
    }
  }

  function close(name: string): void {
    if (SILENT.has(name) || (outer !== undefined && SILENT_IN_COMMENTS.has(name))) {
      silent -= 1
      return
    }
    if (silent > 0) return
    switch (name) {
      case 'body':
        isInBody = false
        break
      case 'master-styles':
        isInMasters = false
        break
      case 'forms':
        forms -= 1
        break
      case 'annotation':
        endComment()
        break
      case 'header-decl':
      case 'footer-decl':
        endLine()
        break
      case 'p':
      case 'h':
        if (cell !== undefined || outer !== undefined) line += ' '
        else endLine()
        break
      case 'table-cell':
      case 'covered-table-cell':
        endCell()
        break
      case 'table-row':
        endRow()
        break
      default:
        if (MARGINS.has(name)) isInMargin = false
    }
  }

  /** Writes a form field: its label and its value. */
  function writeControl(attributes: Attributes): void {
    const label = attribute(attributes, 'label')
    const value = attribute(attributes, 'current-value') ?? attribute(attributes, 'value')
    const isTicked = /^(?:checked|true)$/.test(
      attribute(attributes, 'current-state') ?? attribute(attributes, 'current-selected') ?? '',
    )
    const shown = [isTicked ? '☒' : undefined, label, value].filter((word) => word !== undefined)
    const text = shown.join(' ').replace(/\s+/g, ' ').trim()
    if (text !== '') writer.write(`${text}\n`)
  }

  function endComment(): void {
    const text = line.replace(/\s+/g, ' ').trim()
    if (text !== '') comments.push(text)
    line = outer?.line ?? ''
    cell = outer?.cell
    heading = outer?.heading ?? false
    outer = undefined
  }

  function writeComments(): void {
    for (const comment of comments) writer.write(`${comment}\n`)
    comments = []
  }

  function endLine(): void {
    const text = line.trim()
    line = ''
    if (heading && text !== '') writer.at({ ...(page > 0 && { page }), heading: text })
    heading = false
    const isNoise = isBook && isPrinted
    isPrinted = false
    if (text !== '' && !isNoise) writer.write(`${text}\n`)
    writeComments()
  }

  function endCell(): void {
    const shown = (cell?.value ?? line).replace(/\s+/g, ' ').trim() || (cell?.unshown ?? '')
    // Trailing empty cells are one repeated cell, so their count is limited.
    const times = Math.min(cell?.repeats ?? 1, shown === '' ? MOST_TABS : LIMITS.cells)
    count(times)
    for (let time = 0; time < times; time += 1) row.push(shown)
    line = ''
    cell = undefined
  }

  function endRow(): void {
    const text = row.join('\t').trimEnd()
    if (text === '' && comments.length === 0) return
    count((rowRepeats - 1) * row.length)
    if (sheet !== undefined) writer.at({ sheet })
    sheet = undefined
    for (let time = 0; text !== '' && time < rowRepeats; time += 1) writer.write(`${text}\n`)
    writeComments()
  }

  function count(more: number): void {
    cells += more
    if (cells > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 cells')
  }

  function text(part: string): void {
    if (silent > 0 || !(isInBody || isInMargin)) return
    line += part
    if (line.length > LIMITS.node) throw new Refusal('too_large', 'a line of more than 1 MiB')
  }

  return { open, close, text }
}

function repeats(attributes: Attributes, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const times = Number(attribute(attributes, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? Math.min(times, most) : 1
}

/** Percentages and currencies use the shown text, because the value lacks their sign. */
function cellOf(attributes: Attributes): Cell {
  const of = (name: string) => attribute(attributes, name)
  const type = of('value-type') ?? ''
  const exact = VALUE_OF[type]
  const value = of('value')
  const sign = type === 'percentage' ? '%' : ` ${of('currency') ?? ''}`
  const amount = type === 'percentage' ? roundNumber(Number(value) * 100) : value
  return {
    repeats: repeats(attributes, 'number-columns-repeated'),
    value: exact === undefined ? undefined : of(exact),
    unshown: value === undefined ? undefined : `${amount}${sign}`.trim(),
  }
}

/** The parts that the manifest lists. @throws Refusal encrypted, for a document with a password */
async function readManifest(zip: Zip): Promise<string[]> {
  const parts: string[] = []
  if (!zip.has(MANIFEST)) return parts
  await parseXml(zip.content(MANIFEST), {
    open(name, attributes) {
      if (name === 'encryption-data') throw new Refusal('encrypted', 'it is locked by a password')
      if (name === 'file-entry') parts.push(attribute(attributes, 'full-path') ?? '')
    },
  })
  return parts
}
