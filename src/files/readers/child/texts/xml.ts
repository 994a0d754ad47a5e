import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { contentOf, parseXml } from '../container/xml.ts'

/** Writes the text between the tags of any XML, one text per line, without attributes. */
export async function readXml(text: string, writer: Writer): Promise<void> {
  let line = ''
  function endLine(): void {
    const text = line.replace(/\s+/g, ' ').trim()
    line = ''
    if (text !== '') writer.write(`${text}\n`)
  }
  await parseXml(
    contentOf(text),
    {
      open: endLine,
      close: endLine,
      text(part) {
        line += part
        if (line.length > LIMITS.node) throw new Refusal('too_large', 'a text of more than 1 MiB')
      },
    },
    true,
  )
}
