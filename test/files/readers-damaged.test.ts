import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHere } from '../support/in-process.ts'
import { bookEntries, makeDocx, makeOdf, relationships } from '../support/office.ts'
import { makeZip, type ZipEntry } from '../support/zip.ts'

const TYPES = { name: '[Content_Types].xml', data: '<Types/>' }
const ROWS =
  '<sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c s="1"><v>36525</v></c></row></sheetData>'
const WHOLE = {
  sheets: { S: ROWS },
  strings: '<si><t>a</t></si><si><t>b</t></si>',
  styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
}
const TEXT = '<w:p><w:r><w:t>text</w:t></w:r></w:p>'

/** A book as it should be, less the entries of some names. */
function bookWithout(name: RegExp, parts = WHOLE): Buffer {
  return makeZip(bookEntries(parts).filter((entry) => !name.test(entry.name)))
}

/** A book as it should be, whose relationships lack those of a type. */
function bookUnlinked(type: string): Buffer {
  return makeZip(
    bookEntries(WHOLE).map((entry) =>
      entry.name.endsWith('workbook.xml.rels')
        ? { ...entry, data: String(entry.data).replace(new RegExp(`<[^<]*/${type}"[^>]*/>`), '') }
        : entry,
    ),
  )
}

function slides(more: ZipEntry[], rels: Parameters<typeof relationships>[0]): Buffer {
  return makeZip([
    TYPES,
    {
      name: 'ppt/presentation.xml',
      data: '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldId id="256" r:id="rId1"/></p:presentation>',
    },
    { name: 'ppt/_rels/presentation.xml.rels', data: relationships([['rId1', 'slide', 'slides/s.xml']]) },
    {
      name: 'ppt/slides/s.xml',
      data: '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:t>text</a:t></a:p></p:sld>',
    },
    { name: 'ppt/slides/_rels/s.xml.rels', data: relationships(rels) },
    ...more,
  ])
}

const manifest = (...parts: string[]) => ({
  name: 'META-INF/manifest.xml',
  data: `<manifest xmlns:m="m">${parts.map((part) => `<m:file-entry m:full-path="${part}"/>`).join('')}</manifest>`,
})
const odt = (body: string, ...more: ZipEntry[]) =>
  makeOdf('text', `<office:text><text:p>text</text:p>${body}</office:text>`, more)
const epub = (spine: string) =>
  makeZip([
    { name: 'mimetype', data: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      data: '<container><rootfile full-path="book.opf"/></container>',
    },
    {
      name: 'book.opf',
      data: `<package><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>${spine}</package>`,
    },
    { name: 'a.xhtml', data: '<html><p>text</p></html>' },
  ])
const footnote = (id: number) => ({
  name: 'word/footnotes.xml',
  data: `<w:footnotes xmlns:w="w"><w:footnote w:id="${id}">${TEXT}</w:footnote></w:footnotes>`,
})
const refersTo = (element: string) => `<w:p><w:r><w:t>text</w:t>${element}</w:r></w:p>`

/** Damaged files. The first row of each kind is whole, and is read. */
const FILES: [what: string, bytes: () => Buffer, name: string, verdict: string][] = [
  ['a book that is whole', () => bookWithout(/^none$/), 'a.xlsx', 'end'],
  ['a book that lacks its shared texts', () => bookWithout(/sharedStrings/), 'a.xlsx', 'xlsx corrupt'],
  ['a book that lacks its styles', () => bookWithout(/styles/), 'a.xlsx', 'xlsx corrupt'],
  ['a book that lacks a sheet', () => bookWithout(/sheet1/), 'a.xlsx', 'xlsx corrupt'],
  [
    'a book that leads to none of its parts',
    () => bookWithout(/workbook.xml.rels/),
    'a.xlsx',
    'xlsx corrupt',
  ],
  ['a book whose shared texts are not linked', () => bookUnlinked('sharedStrings'), 'a.xlsx', 'xlsx corrupt'],
  ['a book whose styles are not linked', () => bookUnlinked('styles'), 'a.xlsx', 'xlsx corrupt'],
  [
    'a book with too few shared texts',
    () => bookWithout(/^none$/, { ...WHOLE, strings: '<si><t>a</t></si>' }),
    'a.xlsx',
    'xlsx corrupt',
  ],
  [
    'a book with too few styles',
    () => bookWithout(/^none$/, { ...WHOLE, styles: '<cellXfs><xf numFmtId="0"/></cellXfs>' }),
    'a.xlsx',
    'xlsx corrupt',
  ],
  [
    'a book that lacks a format of its own',
    () =>
      bookWithout(/^none$/, {
        ...WHOLE,
        styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>',
      }),
    'a.xlsx',
    'xlsx corrupt',
  ],
  [
    'a document whose parts are all there',
    () =>
      makeDocx(
        refersTo('<w:footnoteReference w:id="2"/>'),
        [footnote(2)],
        [['rId1', 'footnotes', 'footnotes.xml']],
      ),
    'a.docx',
    'end',
  ],
  ...['styles', 'header', 'footer', 'footnotes', 'endnotes', 'comments', 'chart', 'diagramData'].map(
    (type): (typeof FILES)[number] => [
      `a document that lacks its part of ${type}`,
      () => makeDocx(TEXT, [], [['rId1', type, `${type}.xml`]]),
      'a.docx',
      'docx corrupt',
    ],
  ),
  [
    'a document that lacks a note',
    () =>
      makeDocx(
        refersTo('<w:footnoteReference w:id="3"/>'),
        [footnote(2)],
        [['rId1', 'footnotes', 'footnotes.xml']],
      ),
    'a.docx',
    'docx corrupt',
  ],
  [
    'a document whose notes are not linked',
    () => makeDocx(refersTo('<w:footnoteReference w:id="2"/>'), [footnote(2)]),
    'a.docx',
    'docx corrupt',
  ],
  [
    'a document whose header is not linked',
    () =>
      makeDocx(
        `${TEXT}<w:sectPr><w:headerReference r:id="rId9"/></w:sectPr>`.replace(
          '<w:sectPr',
          '<w:sectPr xmlns:r="r"',
        ),
      ),
    'a.docx',
    'docx corrupt',
  ],
  ['slides that are all there', () => slides([], []), 'a.pptx', 'end'],
  ...['notesSlide', 'comments', 'chart', 'diagramData'].map((type): (typeof FILES)[number] => [
    `slides that lack their part of ${type}`,
    () => slides([], [['rId1', type, `${type}.xml`]]),
    'a.pptx',
    'pptx corrupt',
  ]),
  ['an OpenDocument that is whole', () => odt('', manifest('content.xml')), 'a.odt', 'end'],
  ['an OpenDocument that lacks its styles', () => odt('', manifest('styles.xml')), 'a.odt', 'odt corrupt'],
  [
    'an OpenDocument that lacks a chart',
    () => odt('<draw:object xlink:href="./Object 1" xmlns:xlink="x"/>'),
    'a.odt',
    'odt corrupt',
  ],
  ['a book of chapters that are all there', () => epub('<itemref idref="a"/>'), 'a.epub', 'end'],
  [
    'a book that lacks a chapter',
    () => epub('<itemref idref="a"/><itemref idref="b"/>'),
    'a.epub',
    'epub corrupt',
  ],
  [
    'a book with a chapter that leads nowhere',
    () => epub('<itemref idref="a"/><itemref idref="c"/>'),
    'a.epub',
    'epub corrupt',
  ],
]

describe('what a file refers to is part of what it says', () => {
  for (const [what, bytes, name, verdict] of FILES) {
    it(`${what}: ${verdict}`, async () => {
      assert.equal((await readHere(bytes(), name)).verdict, verdict)
    })
  }

  it('a book without styles is read where no cell names one but the first', async () => {
    const sheets = { S: '<sheetData><row><c s="0"><v>36525</v></c></row></sheetData>' }
    const { verdict, pieces } = await readHere(makeZip(bookEntries({ sheets })), 'a.xlsx')
    assert.deepEqual([verdict, pieces.map(({ text }) => text)], ['end', ['36525\n']])
  })
})
