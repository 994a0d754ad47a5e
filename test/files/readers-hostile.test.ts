import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Fault, Kind } from '#src/files/readers/child/common/messages.ts'
import { fileFailure } from '#src/files/readers/read-failure.ts'
import { createReaders, type Readers } from '#src/files/readers/read-text.ts'
import { packedRepeats } from '../support/bombs.ts'
import { readHere } from '../support/in-process.ts'
import { bookEntries, makeBook, makeDocx, makeOdf, ONE_CELL, relationships } from '../support/office.ts'
import { lockedPdf, makePdf, pageOf } from '../support/pdf.ts'
import { read, textOf, verdictOf } from '../support/reading.ts'
import { makeZip, type ZipEntry } from '../support/zip.ts'

const MIB = 1024 * 1024
const MIB_OF_LETTERS = Buffer.alloc(MIB, 'a')
const SHEET = 'xl/worksheets/sheet1.xml'
const CELL = `<c r="A1" s="0" t="n" a="${'x'.repeat(80)}"></c>`

/** A book whose one sheet is something else. */
function bookWith(entry: Partial<ZipEntry>, name = SHEET): Buffer {
  return makeZip(
    bookEntries({ sheets: { S: ONE_CELL } }).map((one) => (one.name === name ? { ...one, ...entry } : one)),
  )
}

function bookAnd(...more: ZipEntry[]): Buffer {
  return makeZip([...bookEntries({ sheets: { S: ONE_CELL } }), ...more])
}

/** A sheet with a part of its data so many times. */
const repeated = (part: string | Buffer, times: number) =>
  packedRepeats('<worksheet><sheetData><row>', part, times, '</row></sheetData></worksheet>')

/** A container of before 2007 with one row in its directory. */
function oldContainer(stream: string): Buffer {
  const bytes = Buffer.alloc(2_048)
  bytes.write('d0cf11e0a1b11ae1', 'hex')
  bytes.write(stream, 1_024, 'utf16le')
  return bytes
}

function flipped(bytes: Buffer): Buffer {
  const at = bytes.indexOf(SHEET) + SHEET.length + 10
  const copy = Buffer.from(bytes)
  for (let index = 0; index < 20; index += 1) copy.writeUInt8(copy.readUInt8(at + index) ^ 0x55, at + index)
  return copy
}

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>`
const ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
const large = makeBook({
  sheets: { S: `<sheetData>${'<row><c><v>12345</v></c></row>'.repeat(500)}</sheetData>` },
})

/** Each with what it is called, and what comes of it. */
const SPREADSHEETS: [what: string, bytes: () => Buffer, expected: string, name?: string][] = [
  [
    '1 GiB that says it is 1,000 bytes',
    () => bookWith({ packed: repeated(MIB_OF_LETTERS, 1_024), saysSize: 1_000 }),
    'XLSX_CORRUPTED corrupt',
  ],
  ['more in it than it says', () => bookWith({ saysSize: 20 }), 'XLSX_CORRUPTED corrupt'],
  ['less in it than it says', () => bookWith({ saysSize: 20_000 }), 'XLSX_CORRUPTED corrupt'],
  [
    'ten million cells',
    () => bookWith({ packed: repeated('<c/>'.repeat(10_000), 1_000), saysSize: 300 * MIB }),
    'XLSX_CORRUPTED too_large',
  ],
  [
    '300 MiB in rows that are empty',
    () =>
      bookWith({ packed: repeated(`<row a="${'x'.repeat(MIB - 100)}"></row>`, 300), saysSize: 301 * MIB }),
    'XLSX_CORRUPTED too_large',
  ],
  [
    '10,001 entries',
    () => bookAnd(...Array.from({ length: 10_001 }, (_, i) => ({ name: `x${i}`, data: '', isStored: true }))),
    'XLSX_CORRUPTED too_large',
  ],
  [
    'a shared text of 5 MB that 50,000 cells refer to',
    () =>
      makeBook({
        sheets: { S: `<sheetData><row>${'<c t="s"><v>0</v></c>'.repeat(50_000)}</row></sheetData>` },
        strings: `<si><t>${'x'.repeat(5_000_000)}</t></si>`,
      }),
    'XLSX_CORRUPTED too_large',
  ],
  [
    'entities that become a billion',
    () => bookWith({ data: `${LAUGHS}<worksheet>&j;</worksheet>` }),
    'XLSX_CORRUPTED corrupt',
  ],
  [
    'an entity outside of it',
    () => bookWith({ data: `${ENTITY}<worksheet>&e;</worksheet>` }),
    'XLSX_CORRUPTED corrupt',
  ],
  [
    'an entity that nobody knows',
    () => bookWith({ data: '<worksheet>&nbsp;</worksheet>' }),
    'XLSX_CORRUPTED corrupt',
  ],
  [
    '300,000 elements that are not closed',
    () => bookWith({ data: '<a>'.repeat(300_000) }),
    'XLSX_CORRUPTED too_large',
  ],
  [
    'an attribute of 2 MiB',
    () => bookWith({ data: `<worksheet a="${'x'.repeat(2 * MIB)}"/>` }),
    'XLSX_CORRUPTED too_large',
  ],
  ['entries that overlap', () => bookAnd({ name: 'a', data: 'x', saysOffset: 0 }), 'XLSX_CORRUPTED corrupt'],
  [
    'two entries of one name',
    () => bookAnd({ name: SHEET.toUpperCase(), data: 'x' }),
    'XLSX_CORRUPTED corrupt',
  ],
  ['an entry that climbs out', () => bookAnd({ name: '../../etc/x', data: 'x' }), 'XLSX_CORRUPTED corrupt'],
  ['an entry with an absolute name', () => bookAnd({ name: '/etc/x', data: 'x' }), 'XLSX_CORRUPTED corrupt'],
  ['an entry that is encrypted', () => bookWith({ isEncrypted: true }), 'XLSX_CORRUPTED encrypted'],
  ['a wrong checksum', () => bookWith({ saysCrc: 1 }), 'XLSX_CORRUPTED corrupt'],
  ['flipped bytes', () => flipped(large), 'XLSX_CORRUPTED corrupt'],
  ['its second half cut off', () => large.subarray(0, large.length / 2), 'XLSX_CORRUPTED corrupt'],
  [
    'no sheet where it says',
    () => makeZip(bookEntries({ sheets: { S: ONE_CELL } }).filter(({ name }) => name !== SHEET)),
    'XLSX_CORRUPTED corrupt',
  ],
  ['no book in it', () => makeZip([{ name: 'a.txt', data: 'a' }]), 'XLSX_CORRUPTED corrupt'],
  [
    'the book of a binary format',
    () =>
      makeZip([
        { name: '[Content_Types].xml', data: '' },
        { name: 'xl/workbook.bin', data: '' },
      ]),
    'XLSX_CORRUPTED unsupported',
  ],
  ['a book of before 2007', () => oldContainer('Workbook'), 'XLSX_CORRUPTED unsupported'],
  [
    'a book of before 2007 under another name',
    () => oldContainer('Workbook'),
    'XLSX_CORRUPTED unsupported',
    'a.bin',
  ],
  ['a book that a password locks', () => oldContainer('EncryptedPackage'), 'PARSE_FAILED encrypted'],
  ['a picture', () => Buffer.from('89504e470d0a1a0a0000000d49484452ff', 'hex'), 'XLSX_CORRUPTED unsupported'],
]

const TYPES = { name: '[Content_Types].xml', data: '<Types/>' }
const PRESENTATION = [
  TYPES,
  {
    name: 'ppt/presentation.xml',
    data: '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
  },
  { name: 'ppt/_rels/presentation.xml.rels', data: relationships([['rId1', 'slide', 'slides/slide1.xml']]) },
]
const openDocument = (type: string) => [
  { name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}`, isStored: true },
]
const EPUB = [
  { name: 'mimetype', data: 'application/epub+zip', isStored: true },
  {
    name: 'META-INF/container.xml',
    data: '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
  },
  {
    name: 'book.opf',
    data: '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
  },
]
/** Each kind of document that is a zip, with the entry that its text is in. */
const ZIPPED: [name: string, entries: ZipEntry[], entry: string][] = [
  ['a.docx', [TYPES], 'word/document.xml'],
  ['a.pptx', PRESENTATION, 'ppt/slides/slide1.xml'],
  ['a.odt', openDocument('text'), 'content.xml'],
  ['a.ods', openDocument('spreadsheet'), 'content.xml'],
  ['a.odp', openDocument('presentation'), 'content.xml'],
  ['a.epub', EPUB, 'a.xhtml'],
]

const nested = '<w:p>'.repeat(200_000)
const pages = (kids: string, count: string) =>
  makePdf(['<</Type/Catalog/Pages 2 0 R>>', `<</Type/Pages/Kids[${kids}]/Count ${count}>>`])

const DOCUMENTS: [what: string, bytes: () => Buffer, name: string, expected: string][] = [
  ['200,000 paragraphs within one another', () => makeDocx(nested), 'a.docx', 'PARSE_FAILED too_large'],
  [
    'an encrypted entry',
    () =>
      makeZip([
        { name: '[Content_Types].xml', data: '' },
        { name: 'word/document.xml', data: 'x', isEncrypted: true },
      ]),
    'a.docx',
    'PARSE_FAILED encrypted',
  ],
  ['a document of before 2007', () => oldContainer('WordDocument'), 'a.doc', 'PARSE_FAILED unsupported'],
  [
    'no text but a picture',
    () => makeDocx('<w:p><w:r><w:drawing/></w:r></w:p>'),
    'a.docx',
    'PARSE_FAILED no_text',
  ],
  [
    'a picture by its content',
    () => Buffer.from('89504e470d0a1a0a0000000d49484452ff', 'hex'),
    'a.docx',
    'PARSE_FAILED unsupported',
  ],
  [
    'a zip in a zip',
    () => makeZip([{ name: 'inner.zip', data: large }]),
    'a.zip',
    'PARSE_FAILED unsupported',
  ],
  [
    'a bomb that is called a text',
    () =>
      makeZip([{ name: 'x', data: '', packed: packedRepeats('', MIB_OF_LETTERS, 512), saysSize: 512 * MIB }]),
    'a.txt',
    'PARSE_FAILED unsupported',
  ],
  [
    'cells that repeat without end',
    () =>
      makeOdf(
        'spreadsheet',
        '<office:spreadsheet><table:table><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>',
      ),
    'a.ods',
    'PARSE_FAILED too_large',
  ],
  [
    'an OpenDocument that a password locks',
    () =>
      makeOdf('text', '<office:text/>', [
        { name: 'META-INF/manifest.xml', data: '<manifest><encryption-data/></manifest>' },
      ]),
    'a.odt',
    'PARSE_FAILED encrypted',
  ],
  ['a PDF whose pages form a circle', () => pages('2 0 R', '1'), 'a.pdf', 'PARSE_FAILED corrupt'],
  ['a PDF that says it has a billion pages', () => pages('', '1000000000'), 'a.pdf', 'PARSE_FAILED no_text'],
  [
    'a PDF that is noise',
    () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1_000, 0x9d)]),
    'a.pdf',
    'PARSE_FAILED corrupt',
  ],
  ['a PDF that was scanned', () => pageOf('q 10 0 0 10 0 0 cm Q'), 'a.pdf', 'PARSE_FAILED no_text'],
  [
    'a PDF that a password locks',
    () => lockedPdf('BT /F1 24 Tf (secret) Tj ET', 'secret'),
    'a.pdf',
    'PARSE_FAILED encrypted',
  ],
]

const LONG_TEXT = Buffer.concat([
  Buffer.from('BT /F1 24 Tf ('),
  Buffer.alloc(400 * MIB, 'a'),
  Buffer.from(') Tj ET'),
])

/** What takes much, for as long as nobody stops it; on a machine that is very busy the clock may be the first to. */
const BOMBS: [bytes: () => Buffer, name: string, expected: RegExp][] = [
  [
    () => bookWith({ packed: repeated(MIB_OF_LETTERS, 1_024), saysSize: 1024 * MIB + 57 }),
    'a.xlsx',
    /^XLSX_(CORRUPTED too_large|TIMEOUT timeout)$/,
  ],
  [() => pageOf(LONG_TEXT, { isPacked: true }), 'a.pdf', /^PARSE_FAILED (too_large|timeout)$/],
]

describe('files that mean harm', () => {
  let readers: Readers
  before(() => {
    readers = createReaders()
  })
  after(() => readers.close())

  for (const [what, bytes, expected, name = 'a.xlsx'] of SPREADSHEETS) {
    it(`a spreadsheet with ${what}: ${expected}`, async () => {
      const { kind, verdict } = await readHere(bytes(), name)
      const reason = verdict.split(' ')[1] as Fault
      assert.equal(verdictOf(fileFailure(kind as Kind, reason, '')), expected)
    })
  }

  for (const [what, bytes, name, expected] of DOCUMENTS) {
    it(`${what}: ${expected}`, async () => {
      const { kind, verdict } = await readHere(bytes(), name)
      assert.equal(verdictOf(fileFailure(kind as Kind, verdict.split(' ')[1] as Fault, '')), expected)
    })
  }

  for (const [name, entries, entry] of ZIPPED) {
    it(`1 GiB in one text of ${name}: PARSE_FAILED too_large`, async () => {
      const packed = packedRepeats('<x>', MIB_OF_LETTERS, 1_024, '</x>')
      const bomb = { name: entry, data: '', packed, saysSize: 1_024 * MIB + 7 }
      const { kind, verdict } = await readHere(makeZip([...entries, bomb]), name)
      assert.equal(
        verdictOf(fileFailure(kind as Kind, verdict.split(' ')[1] as Fault, '')),
        'PARSE_FAILED too_large',
      )
    })
  }

  it('come to the same in a process of their own, which is killed, and leave the memory of the server as it was', async () => {
    const bombs = BOMBS.map(([bytes, name, expected]) => ({ bytes: bytes(), name, expected }))
    const before = process.memoryUsage.rss()
    let most = 0
    for (const { bytes, name, expected } of bombs) {
      assert.match(verdictOf(await read(readers, bytes, name)), expected)
      most = Math.max(most, process.memoryUsage.rss() - before)
    }
    assert.ok(most < 64 * MIB, `${most / MIB} MiB more`)
  })

  it('that are valid, and would take their reader too long, are late', async () => {
    const impatient = createReaders({ seconds: 1 })
    const part = CELL.repeat(100_000)
    const saysSize = (part.length + 90) * 19
    // On a busy machine the parsers alone take a second to load, and the file is late before its kind is known.
    assert.match(
      verdictOf(await read(impatient, bookWith({ packed: repeated(part, 19), saysSize }), 'a.xlsx')),
      /^(XLSX_TIMEOUT|PARSE_FAILED) timeout$/,
    )
    await impatient.close()
  })

  it('are known by their content: a book is one whatever it is called', async () => {
    assert.equal(verdictOf(await read(readers, makeBook({ sheets: { S: ONE_CELL } }), 'a.docx')), 'ok xlsx')
  })

  it('with a second end in the comment are read by the one that is valid, or refused', async () => {
    const inner = makeZip([{ name: 'xl/evil', data: 'x' }])
    const comment = inner.subarray(-22)
    const bytes = makeZip(
      bookEntries({ sheets: { S: ONE_CELL } }),
      Buffer.concat([comment, Buffer.from('more')]),
    )
    assert.equal(verdictOf(await read(readers, bytes, 'a.xlsx')), 'XLSX_CORRUPTED corrupt')
  })

  it('whose cells refer to one text again and again are cut off where all texts are', async () => {
    const reading = await read(
      readers,
      makeBook({
        sheets: { S: `<sheetData>${'<row><c t="s"><v>0</v></c></row>'.repeat(50_000)}</sheetData>` },
        strings: `<si><t>${'x'.repeat(900_000)}</t></si>`,
      }),
      'a.xlsx',
    )
    assert.ok(reading.ok && reading.truncated)
    assert.equal(reading.chars, 32 * MIB)
  })

  it('that name other files have none of them read', async () => {
    const outside: [string, string, string, string][] = [['rId9', 'image', 'file:///dev/zero', 'External']]
    const reading = await read(
      readers,
      makeDocx('<w:p><w:r><w:t>text</w:t></w:r></w:p>', [], outside),
      'a.docx',
    )
    assert.equal(textOf(reading), 'text\n')
  })

  it('that a password of no letters locks are read', async () => {
    assert.equal(textOf(await read(readers, lockedPdf('BT /F1 24 Tf (open) Tj ET', ''), 'a.pdf')), 'open\n')
  })

  it('with scripts have none of them run', async () => {
    const script = '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);process.exit\\(9\\))>>'
    const reading = await read(readers, pageOf('BT /F1 24 Tf (calm) Tj ET', { catalog: script }), 'a.pdf')
    assert.equal(textOf(reading), 'calm\n')
  })
})
