import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { mainPart, readRelationships } from '../container/relationships.ts'
import { attribute, parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'
import { type Book, readSheet } from './sheet.ts'
import { readSharedStrings } from './strings.ts'
import { readStyles } from './styles.ts'

/** Reads all sheets of a book in its order, hidden ones too: they are part of what the file says. */
export async function readXlsx(zip: Zip, writer: Writer): Promise<void> {
  const main = await mainPart(zip, 'xl/workbook.xml')
  const { sheets, is1904 } = await readWorkbook(zip, main)
  const relationships = await readRelationships(zip, main)
  const partOf = (type: string) => relationships.find((one) => one.type === type)?.target
  const book: Book = {
    strings: await readSharedStrings(zip, partOf('sharedStrings')),
    meanings: await readStyles(zip, partOf('styles')),
    is1904,
    cells: 0,
  }
  for (const { name, id } of sheets) {
    const relationship = relationships.find((one) => one.id === id)
    if (relationship === undefined) throw new Refusal('corrupt', 'a sheet leads nowhere')
    // A sheet may be a chart, which has no cells.
    if (relationship.type !== 'worksheet') continue
    writer.at({ sheet: name })
    await readSheet(zip.content(relationship.target), book, writer)
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
