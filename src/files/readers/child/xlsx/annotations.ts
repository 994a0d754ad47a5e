import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { readChart } from '../container/chart.ts'
import { readParagraphs } from '../container/paragraphs.ts'
import { partsOfType, readRelationships } from '../container/relationships.ts'
import { attribute, parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/**
 * Writes the comments of a sheet, the texts of its drawings, and its charts.
 * @throws Refusal corrupt, where a part that the sheet refers to is missing
 */
export async function readAnnotations(zip: Zip, sheet: string, writer: Writer): Promise<void> {
  const relationships = await readRelationships(zip, sheet)
  const threads = partsOfType(zip, relationships, ['threadedComment'])
  // For older programs each thread is repeated as a note, so notes are only read without threads.
  const notes = partsOfType(zip, relationships, ['comments'])
  for (const part of threads.length > 0 ? threads : notes) await readComments(zip, part, writer)
  for (const part of partsOfType(zip, relationships, ['drawing'])) {
    await readParagraphs(zip, part, writer)
    const drawn = await readRelationships(zip, part)
    for (const chart of partsOfType(zip, drawn, ['chart', 'chartEx'])) await readChart(zip, chart, writer)
    for (const diagram of partsOfType(zip, drawn, ['diagramData'])) await readParagraphs(zip, diagram, writer)
  }
}

/** Writes each comment as a line, after the name of its cell. */
async function readComments(zip: Zip, part: string, writer: Writer): Promise<void> {
  let cell = ''
  let text = ''
  let isText = false
  await parseXml(zip.content(part), {
    open(name, attributes) {
      if (name === 'comment' || name === 'threadedComment') {
        cell = attribute(attributes, 'ref') ?? ''
        text = ''
      }
      // A note has runs `t` within its `text`; a thread has only `text`.
      else if (name === 't' || name === 'text') isText = true
    },
    text(words) {
      if (!isText) return
      text += words
      if (text.length > LIMITS.node) throw new Refusal('too_large', 'a comment of more than 1 MiB')
    },
    close(name) {
      if (name === 't' || name === 'text') isText = false
      if (name !== 'comment' && name !== 'threadedComment') return
      const line = text.replace(/\s+/g, ' ').trim()
      if (line !== '') writer.write(`${cell}: ${line}\n`)
    },
  })
}
