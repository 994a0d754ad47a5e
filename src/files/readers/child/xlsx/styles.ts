import { parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'

/** What a cell's number stands for. */
export type Meaning = 'number' | 'date' | 'time' | 'moment' | 'duration'

/** The formats that every program knows by number (ECMA-376, 18.8.30), where they say a date or a time. */
const BUILT_IN: [from: number, to: number, meaning: Meaning][] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'moment'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
]

/** What the numbers of each cell format mean, by its place in the list. */
export async function readStyles(zip: Zip, part: string | undefined): Promise<Meaning[]> {
  if (part === undefined || !zip.has(part)) return []
  const custom = new Map<number, Meaning>()
  const meanings: Meaning[] = []
  let isInFormats = false
  await parseXml(zip.content(part), {
    open(name, { numFmtId, formatCode = '' }) {
      if (name === 'cellXfs') isInFormats = true
      else if (name === 'numFmt') custom.set(Number(numFmtId), meaningOf(formatCode))
      else if (name === 'xf' && isInFormats) {
        const id = Number(numFmtId ?? 0)
        meanings.push(custom.get(id) ?? builtIn(id))
      }
    },
    close(name) {
      if (name === 'cellXfs') isInFormats = false
    },
  })
  return meanings
}

function builtIn(id: number): Meaning {
  return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
}

/** What a format of one's own means, by the letters in its first section that are not text. */
export function meaningOf(code: string): Meaning {
  const [section = ''] = code.replace(/"[^"]*"|\\.|_.|\*./g, '').split(';')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration'
  const letters = section.replace(/\[[^\]]*\]/g, '').toLowerCase()
  if (/general/.test(letters)) return 'number'
  const hasTime = /[hs]|am\/pm/.test(letters)
  const hasDate = /[dy]/.test(letters) || (!hasTime && /m/.test(letters))
  if (hasDate) return hasTime ? 'moment' : 'date'
  return hasTime ? 'time' : 'number'
}
