import { LIMITS } from '../common/limits.ts'
import type { Location } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { readChart } from '../container/chart.ts'
import { readParagraphs } from '../container/paragraphs.ts'
import { mainPart, partsOfType, readRelationships } from '../container/relationships.ts'
import { attribute, parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/**
 * Reads slides in their order, each with its charts, diagrams, notes and comments.
 * @throws Refusal corrupt, where a part that a slide refers to is missing
 */
export async function readPptx(zip: Zip, writer: Writer): Promise<void> {
  const main = await mainPart(zip, 'ppt/presentation.xml')
  const relationships = await readRelationships(zip, main)
  const slides = await readSlideIds(zip, main)
  if (slides.length > LIMITS.pages) throw new Refusal('too_large', 'more than 2,000 slides')
  let page = 0
  for (const id of slides) {
    page += 1
    const slide = relationships.find((one) => one.id === id)
    if (slide === undefined) throw new Refusal('corrupt', 'a slide leads nowhere')
    await readSlide(zip, slide.target, page, writer)
    const beside = await readRelationships(zip, slide.target)
    for (const chart of partsOfType(zip, beside, ['chart', 'chartEx'])) await readChart(zip, chart, writer)
    for (const part of partsOfType(zip, beside, ['diagramData'])) await readParagraphs(zip, part, writer)
    for (const notes of partsOfType(zip, beside, ['notesSlide'])) await readSlide(zip, notes, page, writer)
    for (const part of partsOfType(zip, beside, ['comments'])) await readParagraphs(zip, part, writer)
  }
}

async function readSlideIds(zip: Zip, part: string): Promise<string[]> {
  const ids: string[] = []
  await parseXml(zip.content(part), {
    open(name, attributes) {
      // The element also has a plain `id`, which does not refer to the slide.
      const reference = Object.keys(attributes).find((key) => key.endsWith(':id'))
      if (name === 'sldId' && reference !== undefined) ids.push(attributes[reference] ?? '')
    },
  })
  return ids
}

async function readSlide(zip: Zip, part: string, page: number, writer: Writer): Promise<void> {
  let location: Location = { page }
  let isText = false
  let isTitle = false
  let isNumber = false
  let line = ''
  let cells = 0
  writer.at(location)
  await parseXml(zip.content(part), {
    open(name, attributes) {
      if (name === 't') isText = true
      else if (name === 'sp') isTitle = isNumber = false
      else if (name === 'ph') {
        isTitle = /^(ctrT|t)itle$/.test(attribute(attributes, 'type') ?? '')
        isNumber = /^(sldNum|dt)$/.test(attribute(attributes, 'type') ?? '')
      } else if (name === 'br') line += '\n'
      else if (name === 'tc') {
        cells += 1
        if (line !== '') line = `${line.trimEnd()}\t`
      }
    },
    text(text) {
      if (isText && !isNumber) line += text
      if (line.length > LIMITS.node) throw new Refusal('too_large', 'a line of more than 1 MiB')
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'tc') cells -= 1
      else if (name === 'p' && cells > 0) line += ' '
      else if (name === 'p' || name === 'tr') {
        const text = line.trim()
        line = ''
        if (isTitle && text !== '') {
          location = { page, heading: text }
          writer.at(location)
        }
        if (text !== '') writer.write(`${text}\n`)
      }
    },
  })
}
