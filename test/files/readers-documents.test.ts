import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { writeOds } from 'hucre/ods'
import { MINUTE, type Millis } from '#src/core/clock.ts'
import { readHere } from '../support/in-process.ts'
import { makeDocx, makeOdf, relationships } from '../support/office.ts'
import { makePdf, pageOf, stream } from '../support/pdf.ts'
import { makeZip } from '../support/zip.ts'

/** Where it is on the path. */
const OFFICE =
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'soffice'))
    .find((path) => existsSync(path)) ?? 'soffice'
const STARTED: Millis = 4 * MINUTE

const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

describe('documents', () => {
  it('of Word are read a paragraph a line, with their headings in any language, tables and notes', async () => {
    const styles = `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`
    const body = `${paragraph('zero')}${paragraph('Eins', 'berschrift1')}
      <w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
      <w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}${paragraph('c')}</w:tc></w:tr>
      <w:tr><w:tc>${paragraph('d')}</w:tc></w:tr></w:tbl>
      <mc:AlternateContent xmlns:mc="mc"><mc:Choice>${paragraph('new')}</mc:Choice><mc:Fallback>${paragraph('old')}</mc:Fallback></mc:AlternateContent>`
    const { kind, pieces } = await readHere(
      makeDocx(
        body,
        [
          { name: 'word/styles.xml', data: styles },
          { name: 'word/footnotes.xml', data: `<w:footnotes xmlns:w="w">${paragraph('note')}</w:footnotes>` },
        ],
        [
          ['rId1', 'styles', 'styles.xml'],
          ['rId2', 'footnotes', 'footnotes.xml'],
        ],
      ),
      'a.docx',
    )
    assert.equal(kind, 'docx')
    assert.deepEqual(pieces, [
      { text: 'zero\n', location: {} },
      { text: 'Eins\none\ttwo\na\tb c\nd\nnew\nnote\n', location: { heading: 'Eins' } },
    ])
  })

  it('of slides are read in the order in which they are shown, with titles, tables and notes', async () => {
    const shape = (text: string, type = '') =>
      `<p:sp>${type && `<p:nvPr><p:ph type="${type}"/></p:nvPr>`}<p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
    const slide = (content: string) => `<p:sld xmlns:p="p" xmlns:a="a">${content}</p:sld>`
    const { kind, pieces } = await readHere(
      makeZip([
        { name: '[Content_Types].xml', data: '<Types/>' },
        {
          name: 'ppt/presentation.xml',
          data: '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>',
        },
        {
          name: 'ppt/_rels/presentation.xml.rels',
          data: relationships([
            ['rId1', 'slide', 'slides/slide1.xml'],
            ['rId2', 'slide', 'slides/slide2.xml'],
          ]),
        },
        { name: 'ppt/slides/slide1.xml', data: slide(shape('last') + shape('7', 'sldNum')) },
        { name: 'ppt/slides/slide2.xml', data: slide(shape('Title', 'ctrTitle') + shape('body')) },
        {
          name: 'ppt/slides/_rels/slide2.xml.rels',
          data: relationships([['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml']]),
        },
        { name: 'ppt/notesSlides/notesSlide1.xml', data: slide(shape('say this')) },
      ]),
      'a.pptx',
    )
    assert.equal(kind, 'pptx')
    assert.deepEqual(pieces, [
      { text: 'Title\nbody\n', location: { page: 1, heading: 'Title' } },
      { text: 'say this\n', location: { page: 1 } },
      { text: 'last\n', location: { page: 2 } },
    ])
  })

  it('of OpenDocument are read without the words that its styles are made of', async () => {
    const styles =
      '<office:automatic-styles><number:date-style><number:day/><number:text>. </number:text></number:date-style></office:automatic-styles>'
    const text = makeOdf('text', '<office:text><text:p>first</text:p></office:text>', [], styles)
    assert.deepEqual((await readHere(text, 'a.odt')).pieces, [{ text: 'first\n', location: {} }])
  })

  it('of OpenDocument are read: text with headings, sheets with their values, slides', async () => {
    const text = await readHere(
      makeOdf(
        'text',
        `<office:text><text:h text:outline-level="1">One</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c<office:annotation><text:p>said</text:p></office:annotation></text:p></office:text>`,
      ),
      'a.odt',
    )
    assert.equal(text.kind, 'odt')
    assert.deepEqual(text.pieces, [{ text: 'One\na  b\tc\nsaid\n', location: { heading: 'One' } }])
    const slides = await readHere(
      makeOdf(
        'presentation',
        '<office:presentation><draw:page><text:p>first</text:p></draw:page><draw:page><text:p>second</text:p></draw:page></office:presentation>',
      ),
      'a.odp',
    )
    assert.deepEqual(slides.pieces, [
      { text: 'first\n', location: { page: 1 } },
      { text: 'second\n', location: { page: 2 } },
    ])
    const sheet = await readHere(
      makeOdf(
        'spreadsheet',
        `<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="1.25"><text:p>1</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>`,
      ),
      'a.ods',
    )
    assert.deepEqual(sheet.pieces, [{ text: '1.25\tx\tx\n1.25\tx\tx\n', location: { sheet: 'S' } }])
  })

  it('of OpenDocument that another program wrote are read', async () => {
    const rows = [
      ['a', 1.5],
      ['b', 2],
    ]
    const { kind, pieces } = await readHere(
      Buffer.from(await writeOds({ sheets: [{ name: 'One', rows }] })),
      'a.ods',
    )
    assert.equal(kind, 'ods')
    assert.deepEqual(pieces, [{ text: 'a\t1.5\nb\t2\n', location: { sheet: 'One' } }])
  })

  it('that are books are read chapter by chapter, in their order', async () => {
    const chapter = (text: string) =>
      `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${text}</body></html>`
    const { kind, pieces } = await readHere(
      makeZip([
        { name: 'mimetype', data: 'application/epub+zip', isStored: true },
        {
          name: 'META-INF/container.xml',
          data: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        },
        {
          name: 'OEBPS/book.opf',
          data: `<package><manifest><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="c" href="c.css" media-type="text/css"/></manifest><spine><itemref idref="b"/><itemref idref="a"/><itemref idref="c"/></spine></package>`,
        },
        { name: 'OEBPS/a b.xhtml', data: chapter('<p>second</p>') },
        { name: 'OEBPS/b.xhtml', data: chapter('<h1>First</h1><p>text</p>') },
      ]),
      'a.epub',
    )
    assert.equal(kind, 'epub')
    assert.deepEqual(pieces, [
      { text: 'First\ntext\n', location: { heading: 'First' } },
      { text: 'second\n', location: {} },
    ])
  })

  it('of PDF are read page by page', async () => {
    const { kind, pieces } = await readHere(
      pageOf('BT /F1 24 Tf 20 200 Td (Hello) Tj 0 -30 Td (PDF) Tj ET'),
      'a',
    )
    assert.equal(kind, 'pdf')
    assert.deepEqual(pieces, [{ text: 'Hello\nPDF\n', location: { page: 1 } }])
  })

  it('of PDF are read with the fields of their form and with remarks, and say which pages have no text', async () => {
    const form = [
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/TU(Your name)/V(Ada)/Rect[0 0 10 10]>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(paid)/V/Yes/AS/Yes/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>/Rect[0 0 10 10]>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(late)/V/Off/AS/Off/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>/Rect[0 0 10 10]>>',
      '<</Type/Annot/Subtype/Widget/FT/Ch/T(colour)/V(blue)/Opt[(red)(blue)]/Rect[0 0 10 10]>>',
      '<</Type/Annot/Subtype/Text/Contents(is it so?)/Rect[0 0 10 10]>>',
    ]
    const page = (more: string) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 5 0 R>>>>${more}>>`
    const bytes = makePdf([
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R 8 0 R 9 0 R 10 0 R]>>>>',
      '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>',
      page('/Contents 4 0 R/Annots[7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]'),
      stream('BT /F1 24 Tf 20 200 Td (text) Tj ET'),
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      page(''),
      ...form,
    ])
    const { verdict, pieces, warnings } = await readHere(bytes, 'a.pdf')
    assert.equal(verdict, 'end')
    const text = pieces.map((piece) => piece.text).join('')
    assert.equal(text.trimEnd(), 'text\nis it so?\nYour name: Ada\npaid: ☒ Yes\ncolour: blue')
    assert.deepEqual(warnings, [{ code: 'pages_without_text', detail: '2' }])
  })

  it(
    'that LibreOffice wrote are read',
    { skip: !existsSync(OFFICE) && 'LibreOffice is not installed here' },
    () => inFolder(readConverted),
  )
})

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-office-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One text, as LibreOffice writes it in each of the formats; with a profile of its own, as another one may run here. */
async function readConverted(folder: string): Promise<void> {
  writeFileSync(join(folder, 'a.html'), '<h1>Title</h1><p>Grüße, Welt</p>')
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`
  for (const format of ['docx', 'odt', 'fodt', 'pdf', 'epub']) {
    const source = '--infilter=HTML (StarWriter)'
    const options = [profile, '--headless', '--norestore', source, '--convert-to', format, '--outdir', folder]
    const { status, stderr } = spawnSync(OFFICE, [...options, join(folder, 'a.html')], {
      env: { ...process.env, HOME: folder },
      encoding: 'utf8',
      timeout: STARTED,
    })
    const file = join(folder, `a.${format}`)
    assert.ok(status === 0 && existsSync(file), `${format}: ${status} ${stderr}`)
    const { verdict, pieces } = await readHere(readFileSync(file), `a.${format}`)
    assert.equal(verdict, 'end', format)
    assert.match(pieces.map(({ text }) => text).join(''), /Title[\s\S]*Grüße, Welt/, format)
  }
}
