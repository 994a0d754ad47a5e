import { makeZip, type ZipEntry } from './zip.ts'

const PREFIX = 'http://schemas.openxmlformats.org'
const RELATIONSHIPS = `${PREFIX}/officeDocument/2006/relationships`

const xml = (content: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${content}`

/** The relationships of a part: id, last word of the type, target. */
export function relationships(rows: [id: string, type: string, target: string, mode?: string][]): string {
  const each = rows.map(
    ([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
  )
  return xml(`<Relationships xmlns="${PREFIX}/package/2006/relationships">${each.join('')}</Relationships>`)
}

/** What a book is made of; each part as XML without its frame. */
export interface BookParts {
  /** The content of `<worksheet>` by the name of the sheet. */
  sheets?: Record<string, string>
  strings?: string
  styles?: string
  /** Attributes of `<workbookPr>`. */
  properties?: string
  hidden?: string[]
}

/** The entries of a book, to be changed before they become one. */
export function bookEntries({
  sheets,
  strings,
  styles,
  properties = '',
  hidden = [],
}: BookParts): ZipEntry[] {
  const given = Object.entries(sheets ?? { Sheet1: '<sheetData/>' })
  const list = given.map(
    ([name], index) =>
      `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
  )
  return [
    { name: '[Content_Types].xml', data: xml('<Types/>') },
    { name: '_rels/.rels', data: relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      data: xml(
        `<workbook xmlns="m" xmlns:r="r"><workbookPr ${properties}/><sheets>${list.join('')}</sheets></workbook>`,
      ),
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relationships([
        ...given.map((_, index): [string, string, string] => [
          `rId${index + 1}`,
          'worksheet',
          `worksheets/sheet${index + 1}.xml`,
        ]),
        ...linked(strings, 'rIdS', 'sharedStrings', 'sharedStrings.xml'),
        ...linked(styles, 'rIdT', 'styles', '/xl/styles.xml'),
      ]),
    },
    ...given.map(([, content], index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: xml(`<worksheet xmlns="m">${content}</worksheet>`),
    })),
    ...(strings === undefined
      ? []
      : [{ name: 'xl/sharedStrings.xml', data: xml(`<sst xmlns="m">${strings}</sst>`) }]),
    ...(styles === undefined
      ? []
      : [{ name: 'xl/styles.xml', data: xml(`<styleSheet xmlns="m">${styles}</styleSheet>`) }]),
  ]
}

/** What leads to a part that is there. */
function linked(part: string | undefined, ...row: [string, string, string]): [string, string, string][] {
  return part === undefined ? [] : [row]
}

export function makeBook(parts: BookParts): Buffer {
  return makeZip(bookEntries(parts))
}

/** A sheet with one cell, for files whose damage is elsewhere. */
export const ONE_CELL = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>'

/** A Word document with the given content of `<w:body>`. */
export function makeDocx(
  body: string,
  more: ZipEntry[] = [],
  rels: Parameters<typeof relationships>[0] = [],
): Buffer {
  return makeZip([
    { name: '[Content_Types].xml', data: xml('<Types/>') },
    { name: '_rels/.rels', data: relationships([['rId1', 'officeDocument', 'word/document.xml']]) },
    { name: 'word/document.xml', data: xml(`<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`) },
    { name: 'word/_rels/document.xml.rels', data: relationships(rels) },
    ...more,
  ])
}

/** An OpenDocument file: its type, the content of `<office:body>`, and the parts before it. */
export function makeOdf(
  type: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  more: ZipEntry[] = [],
  styles = '',
): Buffer {
  const names = 'office text table draw number'.split(' ').map((name) => `xmlns:${name}="${name}"`)
  return makeZip([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}`, isStored: true },
    {
      name: 'content.xml',
      data: xml(
        `<office:document-content ${names.join(' ')}>${styles}<office:body>${body}</office:body></office:document-content>`,
      ),
    },
    ...more,
  ])
}
