import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { type Attributes, attribute, parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

const CONTENT = 'content.xml'
const MANIFEST = 'META-INF/manifest.xml'
/** What stands beside the text: comments, and what changes took away. */
const SILENT = new Set(['annotation', 'tracked-changes', 'note-citation'])
/** Values that the shown text tells less exactly. */
const VALUE_OF: Record<string, string> = { float: 'value', date: 'date-value', currency: 'value' }
const MOST_TABS = 16

/** Reads a document of OpenDocument: text, spreadsheet or presentation alike. */
export async function readOdf(zip: Zip, writer: Writer): Promise<void> {
  await refuseEncrypted(zip)
  let page = 0
  let line = ''
  let heading = false
  let silent = 0
  /** Styles before it have words of their own, such as what stands between the parts of a date. */
  let isInBody = false
  /** Of a spreadsheet its tables are sheets; of anything else they are part of the text. */
  let isBook = false
  let sheet: string | undefined
  let cells = 0
  let row: string[] = []
  let rowRepeats = 1
  let cell: { repeats: number; value: string | undefined } | undefined

  function open(name: string, attributes: Attributes): void {
    if (SILENT.has(name)) silent += 1
    if (silent > 0) return
    switch (name) {
      case 'body':
        isInBody = true
        break
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
      case 'table-row':
        row = []
        rowRepeats = repeats(attributes, 'number-rows-repeated')
        break
      case 'table-cell':
      case 'covered-table-cell':
        line = ''
        cell = { repeats: repeats(attributes, 'number-columns-repeated'), value: exactValue(attributes) }
    }
  }

  function close(name: string): void {
    if (SILENT.has(name)) silent -= 1
    if (silent > 0) return
    switch (name) {
      case 'p':
      case 'h':
        if (cell !== undefined) line += ' '
        else endLine()
        break
      case 'table-cell':
      case 'covered-table-cell':
        endCell()
        break
      case 'table-row':
        endRow()
    }
  }

  function endLine(): void {
    const text = line.trim()
    line = ''
    if (heading && text !== '') writer.at({ ...(page > 0 && { page }), heading: text })
    heading = false
    if (text !== '') writer.write(`${text}\n`)
  }

  function endCell(): void {
    const shown = (cell?.value ?? line).replace(/\s+/g, ' ').trim()
    // A cell that is empty to the end of the sheet is written once, as repeated.
    const times = Math.min(cell?.repeats ?? 1, shown === '' ? MOST_TABS : LIMITS.cells)
    count(times)
    for (let time = 0; time < times; time += 1) row.push(shown)
    line = ''
    cell = undefined
  }

  function endRow(): void {
    const text = row.join('\t').trimEnd()
    if (text === '') return
    count((rowRepeats - 1) * row.length)
    if (sheet !== undefined) writer.at({ sheet })
    sheet = undefined
    for (let time = 0; time < rowRepeats; time += 1) writer.write(`${text}\n`)
  }

  function count(more: number): void {
    cells += more
    if (cells > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 cells')
  }

  await parseXml(zip.content(CONTENT), {
    open,
    close,
    text(text) {
      if (silent > 0 || !isInBody) return
      line += text
      if (line.length > LIMITS.node) throw new Refusal('too_large', 'a line of more than 1 MiB')
    },
  })
}

function repeats(attributes: Attributes, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const times = Number(attribute(attributes, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? Math.min(times, most) : 1
}

function exactValue(attributes: Attributes): string | undefined {
  const name = VALUE_OF[attribute(attributes, 'value-type') ?? '']
  return name === undefined ? undefined : attribute(attributes, name)
}

async function refuseEncrypted(zip: Zip): Promise<void> {
  if (!zip.has(MANIFEST)) return
  await parseXml(zip.content(MANIFEST), {
    open(name) {
      if (name === 'encryption-data') throw new Refusal('encrypted', 'it is locked by a password')
    },
  })
}
