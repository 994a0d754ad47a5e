import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

/** Writes the paragraphs of a drawing, a diagram or a comment of an Office document, one per line. */
export async function readParagraphs(zip: Zip, part: string, writer: Writer): Promise<void> {
  let isText = false
  let line = ''
  /** Depth of `Fallback` elements, which repeat content for older programs. */
  let fallback = 0
  function endLine(): void {
    const text = line.replace(/\s+/g, ' ').trim()
    line = ''
    if (text !== '') writer.write(`${text}\n`)
  }
  await parseXml(zip.content(part), {
    open(name) {
      if (name === 'Fallback') fallback += 1
      else if (name === 't' || name === 'text') isText = fallback === 0
      else if (name === 'br') line += ' '
    },
    text(text) {
      if (!isText) return
      line += text
      if (line.length > LIMITS.node) throw new Refusal('too_large', 'a line of more than 1 MiB')
    },
    close(name) {
      if (name === 'Fallback') fallback -= 1
      else if (name === 't' || name === 'text') isText = false
      if (name === 'p' || name === 'text') endLine()
    },
  })
  endLine()
}
