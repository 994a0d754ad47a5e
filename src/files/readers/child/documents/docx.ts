import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { readChart } from '../container/chart.ts'
import { readParagraphs } from '../container/paragraphs.ts'
import { mainPart, partOfType, partsOfType, readRelationships } from '../container/relationships.ts'
import { type Attributes, attribute, parseXml, type XmlHandler } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/** Parts that follow the text, and the elements that refer to notes by number. */
const APPENDED = ['footnotes', 'endnotes', 'comments']
const NUMBERED: Record<string, string> = { footnoteReference: 'footnote', endnoteReference: 'endnote' }
/** Elements that refer to a part by the id of a relationship. */
const LEADING = new Set(['headerReference', 'footerReference', 'chart'])
const HEADING = /^(heading \d|title|subtitle)$/i

/**
 * Reads a Word document: headers; paragraphs and table rows, one per line; notes, comments, charts, diagrams; footers. Deleted text
 * and images are not read.
 * @throws Refusal corrupt, where a part or a note that the document refers to is missing
 */
export async function readDocx(zip: Zip, writer: Writer): Promise<void> {
  const main = await mainPart(zip, 'word/document.xml')
  const relationships = await readRelationships(zip, main)
  const headings = await readHeadingStyles(zip, partOfType(zip, relationships, 'styles'))
  const of = (...types: string[]) => partsOfType(zip, relationships, types)
  const references: References = { numbers: new Set(), ids: new Set() }
  const margin = onceEach(writer)
  for (const part of of('header')) await parseXml(zip.content(part), paragraphs(margin, headings))
  for (const part of [main, ...APPENDED.flatMap((type) => of(type))])
    await parseXml(zip.content(part), noting(references, paragraphs(writer, headings)))
  for (const part of of('chart', 'chartEx')) await readChart(zip, part, writer)
  for (const part of of('diagramData')) await readParagraphs(zip, part, writer)
  for (const part of of('footer')) await parseXml(zip.content(part), paragraphs(margin, headings))
  // Each note that exists has removed its number.
  const [missing] = references.numbers
  if (missing !== undefined) throw new Refusal('corrupt', `it lacks the ${missing}`)
  const known = new Set(relationships.map(({ id }) => id))
  if (!references.ids.isSubsetOf(known)) throw new Refusal('corrupt', 'a reference leads nowhere')
}

/** References of the text: to notes by number (`footnote 3`), to parts by the id of a relationship. */
interface References {
  numbers: Set<string>
  ids: Set<string>
}

/** Records references, and removes those whose note exists; notes come after the text. */
function noting({ numbers, ids }: References, handler: XmlHandler): XmlHandler {
  const isNote = new Set(Object.values(NUMBERED))
  function note(name: string, attributes: Attributes): void {
    const id = attribute(attributes, 'id')
    if (id === undefined) return
    const numbered = NUMBERED[name]
    if (numbered !== undefined) numbers.add(`${numbered} ${id}`)
    else if (isNote.has(name)) numbers.delete(`${name} ${id}`)
    else if (LEADING.has(name)) ids.add(id)
  }
  return {
    ...handler,
    open(name, attributes) {
      note(name, attributes)
      handler.open?.(name, attributes)
    },
  }
}

/** Writes each line once, because most pages have the same header and footer. */
function onceEach(writer: Writer): Writer {
  const written = new Set<string>()
  return {
    ...writer,
    at: () => {},
    write(text) {
      if (written.has(text)) return
      written.add(text)
      writer.write(text)
    },
  }
}

/** The ids of heading styles. The style names are the same in every language. */
async function readHeadingStyles(zip: Zip, part: string | undefined): Promise<Set<string>> {
  const headings = new Set<string>()
  if (part === undefined) return headings
  let id = ''
  await parseXml(zip.content(part), {
    open(name, attributes) {
      if (name === 'style') id = attribute(attributes, 'styleId') ?? ''
      else if (name === 'name' && HEADING.test(attribute(attributes, 'val') ?? '')) headings.add(id)
      else if (name === 'outlineLvl') headings.add(id)
    },
  })
  return headings
}

function paragraphs(writer: Writer, headings: Set<string>): XmlHandler {
  let isText = false
  let isHeading = false
  /** Depth of `Fallback` elements, which repeat content for older programs. */
  let fallback = 0
  let line = ''
  let cells = 0
  let field: Field | undefined

  function endLine(): void {
    const text = line.trim()
    line = ''
    if (isHeading && text !== '') writer.at({ heading: text })
    isHeading = false
    if (text !== '') writer.write(`${text}\n`)
  }

  return {
    open(name, attributes) {
      if (name === 'Fallback') fallback += 1
      if (fallback > 0) return
      if (name === 't') isText = true
      else if (name === 'tab') line += '\t'
      else if (name === 'br' || name === 'cr') line += '\n'
      else if (name === 'noBreakHyphen') line += '-'
      else if (name === 'pStyle') isHeading = headings.has(attribute(attributes, 'val') ?? '')
      else if (name === 'tr') endLine()
      else if (name === 'tc') {
        cells += 1
        if (line !== '') line = `${line.trimEnd()}\t`
      } else if (name === 'ffData') field = { isTicked: undefined, chosen: 0, words: [] }
      else if (field !== undefined) readField(field, name, attribute(attributes, 'val'))
    },
    text(text) {
      if (!isText) return
      line += text
      if (line.length > LIMITS.node) endLine()
    },
    close(name) {
      if (name === 'Fallback') fallback -= 1
      if (fallback > 0) return
      if (name === 't') isText = false
      else if (name === 'ffData') {
        line += shownField(field)
        field = undefined
      } else if (name === 'tc') cells -= 1
      else if (name === 'tr') endLine()
      // In a table the row ends the line, not the paragraph.
      else if (name === 'p' && cells === 0) endLine()
      else if (name === 'p') line += ' '
    },
  }
}

/** A form field: a check box, or a list with a chosen entry. */
interface Field {
  isTicked: boolean | undefined
  chosen: number
  words: string[]
}

/** Reads an element of a form field; `default` comes before the chosen value. */
function readField(field: Field, name: string, value: string | undefined): void {
  const isOn = value === undefined || /^(1|true|on)$/.test(value)
  if (name === 'checkBox') field.isTicked = false
  else if (name === 'checked') field.isTicked = isOn
  else if (name === 'default' && field.isTicked !== undefined) field.isTicked = isOn
  else if (name === 'result' || name === 'default') field.chosen = Number(value) || 0
  else if (name === 'listEntry' && field.words.length < LIMITS.pages) field.words.push(value ?? '')
}

/** The visible text of a form field; a text field's content is in the text already. */
function shownField(field: Field | undefined): string {
  if (field?.isTicked !== undefined) return field.isTicked ? '☒' : '☐'
  return field?.words[field.chosen] ?? ''
}
