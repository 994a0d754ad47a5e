import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { contentOf, parseXml } from '../container/xml.ts'

/** What stands between the tags of any XML, a text a line; what is in tags is how it is marked, and left out. */
export async function readXml(text: string, writer: Writer): Promise<void> {
  let line = ''
  function endLine(): void {
    const said = line.replace(/\s+/g, ' ').trim()
    line = ''
    if (said !== '') writer.write(`${said}\n`)
  }
  await parseXml(
    contentOf(text),
    {
      open: endLine,
      close: endLine,
      text(said) {
        line += said
        if (line.length > LIMITS.node) throw new Refusal('too_large', 'a text of more than 1 MiB')
      },
    },
    true,
  )
}
