import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/** The texts that cells refer to by number: all runs of each, without what says how it is pronounced. */
export async function readSharedStrings(zip: Zip, part: string | undefined): Promise<string[]> {
  if (part === undefined || !zip.has(part)) return []
  const strings: string[] = []
  let text = ''
  let isText = false
  let phonetic = 0
  await parseXml(zip.content(part), {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') phonetic += 1
      else if (name === 't') isText = phonetic === 0
    },
    text(part) {
      if (!isText) return
      text += part
      if (text.length > LIMITS.node) throw new Refusal('too_large', 'a text of more than 1 MiB')
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') phonetic -= 1
      else if (name === 'si') strings.push(fromEscapes(text))
    },
  })
  return strings
}

/** `_x000D_` stands for a character that XML cannot hold. */
export function fromEscapes(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
