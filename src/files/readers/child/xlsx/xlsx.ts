import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { mainPart, partOfType, readRelationships } from '../container/relationships.ts'
import { attribute, parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'
import { readAnnotations } from './annotations.ts'
import { readSharedStrings } from './shared-strings.ts'
import { type Book, readSheet } from './sheet.ts'
import { readStyles } from './styles.ts'

/** Types of sheets without cells. */
const WITHOUT_CELLS = new Set(['chartsheet', 'dialogsheet', 'xlMacrosheet', 'xlIntlMacrosheet'])

/**
 * Reads all sheets of a workbook in order, including hidden ones.
 * @throws Refusal corrupt, where a part, a text or a style that the workbook refers to is missing
 */
export async function readXlsx(zip: Zip, writer: Writer): Promise<void> {
  const main = await mainPart(zip, 'xl/workbook.xml')
  const { sheets, is1904 } = await readWorkbook(zip, main)
  const relationships = await readRelationships(zip, main)
  const book: Book = {
    strings: await readSharedStrings(zip, partOfType(zip, relationships, 'sharedStrings')),
    formats: await readStyles(zip, partOfType(zip, relationships, 'styles')),
    is1904,
    cells: 0,
  }
  for (const { name, id } of sheets) {
    const relationship = relationships.find((one) => one.id === id)
    if (relationship === undefined) throw new Refusal('corrupt', 'a sheet leads nowhere')
    writer.at({ sheet: name })
    if (relationship.type === 'worksheet') await readSheet(zip.content(relationship.target), book, writer)
    else if (!WITHOUT_CELLS.has(relationship.type))
      throw new Refusal('corrupt', 'a sheet is of no known kind')
    await readAnnotations(zip, relationship.target, writer)
  }
}

async function readWorkbook(zip: Zip, part: string) {
  const sheets: { name: string; id: string | undefined }[] = []
  let is1904 = false
  await parseXml(zip.content(part), {
    open(element, attributes) {
      if (element === 'sheet') sheets.push({ name: attributes.name ?? '', id: attribute(attributes, 'id') })
      else if (element === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
    },
  })
  if (sheets.length === 0) throw new Refusal('corrupt', 'it has no sheets')
  return { sheets, is1904 }
}
