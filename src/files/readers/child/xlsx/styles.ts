import { parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'
import { type CellFormat, cellFormatOf } from './cell-format.ts'

/**
 * Reads the number formats of the cell styles, by index; undefined for a style whose format is not defined, and instead of the list
 * where the workbook has no styles.
 */
export async function readStyles(
  zip: Zip,
  part: string | undefined,
): Promise<(CellFormat | undefined)[] | undefined> {
  if (part === undefined) return undefined
  const codes = new Map<number, string>()
  const ids: number[] = []
  let isInFormats = false
  await parseXml(zip.content(part), {
    open(name, { numFmtId, formatCode = '' }) {
      if (name === 'cellXfs') isInFormats = true
      else if (name === 'numFmt' && !codes.has(Number(numFmtId))) codes.set(Number(numFmtId), formatCode)
      else if (name === 'xf' && isInFormats) ids.push(Number(numFmtId ?? 0))
    },
    close(name) {
      if (name === 'cellXfs') isInFormats = false
    },
  })
  // Thousands of styles share a few formats.
  const formats = new Map([...new Set(ids)].map((id) => [id, cellFormatOf(id, codes)]))
  return ids.map((id) => formats.get(id))
}
