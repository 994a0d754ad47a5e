import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/** Reads the texts that cells refer to by number: the runs of each, without its phonetic guide. Empty without a part. */
export async function readSharedStrings(zip: Zip, part: string | undefined): Promise<string[]> {
  if (part === undefined) return []
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
      else if (name === 'si') strings.push(toCellText(text))
    },
  })
  return strings
}

/** A cell's text on one line. `_x000D_` encodes a character that XML cannot contain. */
export function toCellText(text: string): string {
  const whole = text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
  return /[\t\r\n]/.test(whole) ? whole.replace(/[\t\r\n]+/g, ' ') : whole
}
