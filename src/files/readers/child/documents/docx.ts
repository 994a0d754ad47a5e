import { LIMITS } from '../common/limits.ts'
import type { Writer } from '../common/writer.ts'
import { mainPart, readRelationships } from '../container/relationships.ts'
import { attribute, parseXml, type XmlHandler } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/** Parts that a reader of the document sees as well, after its text. */
const APPENDED = ['footnotes', 'endnotes']
const HEADING = /^(heading \d|title|subtitle)$/i

/** Reads a document of Word: a paragraph a line, a table's row a line. What was deleted, and what pictures show, is not in it. */
export async function readDocx(zip: Zip, writer: Writer): Promise<void> {
  const main = await mainPart(zip, 'word/document.xml')
  const relationships = await readRelationships(zip, main)
  const styles = relationships.find(({ type }) => type === 'styles')?.target
  const headings = await readHeadingStyles(zip, styles)
  const appended = relationships.filter(({ type, target }) => APPENDED.includes(type) && zip.has(target))
  for (const part of [main, ...appended.map(({ target }) => target)]) {
    await parseXml(zip.content(part), paragraphs(writer, headings))
  }
}

/** The ids of the styles that make a heading: their names are the same in every language. */
async function readHeadingStyles(zip: Zip, part: string | undefined): Promise<Set<string>> {
  const headings = new Set<string>()
  if (part === undefined || !zip.has(part)) return headings
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
  /** Within what is there twice, the second time for programs that are old. */
  let fallback = 0
  let line = ''
  let cells = 0

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
      }
    },
    text(text) {
      if (!isText) return
      line += text
      if (line.length > LIMITS.node) endLine()
    },
    close(name) {
      if (name === 'Fallback') fallback -= 1
      else if (name === 't') isText = false
      else if (name === 'tc') cells -= 1
      else if (name === 'tr') endLine()
      // A paragraph in a table's cell ends no line: the row does.
      else if (name === 'p' && cells === 0) endLine()
      else if (name === 'p') line += ' '
    },
  }
}
