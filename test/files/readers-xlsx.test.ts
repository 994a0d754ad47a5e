import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDate } from 'node:util/types'
import { readXlsx as readByOracle, writeXlsx } from 'hucre/xlsx'
import { DAY, HOUR, MINUTE, toDate } from '#src/core/clock.ts'
import { textsOf } from '../support/in-process.ts'
import { type BookParts, makeBook } from '../support/office.ts'

/** 1 February 2000. */
const START = 949_363_200_000

const sheet = (rows: string) => `<sheetData>${rows}</sheetData>`
const book = (rows: string, parts: BookParts = {}) => makeBook({ sheets: { Sheet1: sheet(rows) }, ...parts })

/** The text of a book's only sheet. */
async function textOf(rows: string, parts: BookParts = {}): Promise<string> {
  return Object.values(await textsOf(book(rows, parts))).join('')
}

/** One cell with each of the formats, by their number. */
async function shown(
  formats: [format: string | number, value: string][],
  properties = '',
): Promise<string[]> {
  const custom = formats.map(([code], index) =>
    typeof code === 'string' ? `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>` : '',
  )
  const styles = formats.map(
    ([code], index) =>
      `<xf numFmtId="${typeof code === 'string' ? 164 + index : code}" applyNumberFormat="1"/>`,
  )
  const cells = formats.map(([, value], index) => `<row><c s="${index}"><v>${value}</v></c></row>`)
  const text = await textOf(cells.join(''), {
    styles: `<numFmts>${custom.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs>`,
    properties,
  })
  return text.trimEnd().split('\n')
}

describe('spreadsheets', () => {
  it('are read a row a line, sheet by sheet in their order, hidden ones too', async () => {
    const texts = await textsOf(
      makeBook({
        sheets: {
          'Zürich &amp; Genf': sheet(
            '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c></row>',
          ),
          secret: sheet('<row r="1"><c r="A1"><v>4</v></c></row>'),
        },
        hidden: ['secret'],
      }),
    )
    assert.deepEqual(texts, { 'Zürich & Genf': '1\t2\n3\n', secret: '4\n' })
  })

  it('have shared, inline and calculated texts, rich ones in one piece, without how they are pronounced', async () => {
    const strings = `<si><t xml:space="preserve"> a </t></si>
      <si><r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r></si>
      <si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>
      <si><t>line_x000D_&#10;_x0041_</t></si>`
    const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>3</v></c></row>
      <row><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh><t>no</t></rPh></is></c><c t="str"><f>A1&amp;B1</f><v>both</v></c></row>`
    assert.equal(await textOf(rows, { strings }), ' a \trich text\t東京\tline A\ninline\tboth\n')
  })

  it('have numbers, truths, errors, dates by themselves, and formulas where nothing was calculated', async () => {
    const rows = `<row><c><v>0.30000000000000004</v></c><c><v>1E-3</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c>
      <c t="e"><v>#N/A</v></c><c t="d"><v>2026-02-03</v></c><c><f>HYPERLINK("http://x")</f></c><c><f>1+1</f><v>2</v></c></row>`
    assert.equal(await textOf(rows), '0.3\t1E-3\tTRUE\tFALSE\t#N/A\t2026-02-03\t=HYPERLINK("http://x")\t2\n')
  })

  it('have dates and times as their formats mean them', async () => {
    const formats: [string | number, string][] = [
      [14, '46055'],
      [22, '46055.5'],
      [20, '0.75'],
      [46, '1.1041666667'],
      [0, '46055'],
      [2, '46055'],
      ['yyyy\\-mm\\-dd', '46055'],
      ['[$-407]d. mmm yyyy', '46055.25'],
      ['[h]:mm', '2'],
      ['&quot;day&quot; 0', '46055'],
      ['[Red]0.00;[Blue]-0.00', '46055'],
      ['mmm', '46055'],
      ['mm:ss', '0.5'],
      ['General', '46055'],
    ]
    assert.deepEqual(await shown(formats), [
      '2026-02-02',
      '2026-02-02T12:00:00',
      '18:00:00',
      '26:30:00',
      '46055',
      '46055',
      '2026-02-02',
      '2026-02-02T06:00:00',
      '48:00:00',
      '46055',
      '46055',
      '2026-02-02',
      '12:00:00',
      '46055',
    ])
  })

  it('have percent and money as their formats show them, in any of their sections, and other numbers as they are', async () => {
    const euro = '#,##0.00\\ [$€-407];[Red]-#,##0.00\\ [$€-407]'
    const accounts =
      '_(&quot;$&quot;* #,##0.00_);_(&quot;$&quot;* \\(#,##0.00\\);_(&quot;$&quot;* &quot;-&quot;??_);_(@_)'
    assert.deepEqual(
      await shown([
        ['0%', '0.25'],
        [10, '0.12345'],
        ['0.0%', '-0.07'],
        [44, '1234.5'],
        [6, '-12'],
        [euro, '1234.5'],
        [euro, '-0.5'],
        [accounts, '1000000'],
        [accounts, '-3'],
        [accounts, '0'],
        ['&quot;CHF&quot; #,##0', '1500'],
        ['£0.0,,&quot;M&quot;', '2500000'],
        ['¥#,##0', '1.005E3'],
        ['0.00%', '1E-3'],
        ['#,##0.00', '1234.5'],
        ['[>1]0%;0', '0.5'],
        ['# ?/?', '0.5'],
        [9, '1E300'],
      ]),
      [
        '25%',
        '12.35%',
        '-7.0%',
        '$1,234.50',
        '($12)',
        '1,234.50 €',
        '-0.50 €',
        '$1,000,000.00',
        '$(3.00)',
        '$-',
        'CHF 1,500',
        '£2.5M',
        '¥1,005',
        '0.10%',
        '1234.5',
        '0.5',
        '0.5',
        `1${'0'.repeat(302)}%`,
      ],
    )
  })

  it('count days from 1900 with a leap day that there was not, or from 1904, as the book says', async () => {
    const days: [number, string][] = [1, 59, 60, 61, 2958465].map((day) => [14, String(day)])
    assert.deepEqual(await shown(days), [
      '1900-01-01',
      '1900-02-28',
      '1900-02-29',
      '1900-03-01',
      '9999-12-31',
    ])
    assert.deepEqual(
      await shown(
        [
          [14, '0'],
          [14, '1462'],
        ],
        'date1904="1"',
      ),
      ['1904-01-01', '1908-01-02'],
    )
    assert.deepEqual(
      await shown([
        [14, '-1'],
        [14, '3000000'],
      ]),
      ['-1', '3000000'],
    )
  })

  it('take no room for what is empty: rows and cells far out, merged ones, rules for all', async () => {
    const rows =
      '<row r="1"><c r="A1"><v>1</v></c><c r="D1"><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>'
    const rest =
      '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells><dataValidations><dataValidation sqref="A1:XFD1048576"/></dataValidations>'
    const texts = await textsOf(makeBook({ sheets: { Sheet1: sheet(rows) + rest } }))
    assert.deepEqual(texts, { Sheet1: '1\t\t\t2\n3\n' })
  })

  it('have rows that are whole, however long they are', async () => {
    const long = 'x'.repeat(5_000)
    const row = `<row>${`<c t="inlineStr"><is><t>${long}</t></is></c>`.repeat(5)}</row>`
    assert.equal(await textOf(row + row), `${Array(5).fill(long).join('\t')}\n`.repeat(2))
  })

  it('say the same as another reader finds in a book that another program wrote', async () => {
    const rows = Array.from({ length: 50 }, (_, row) => [
      `text ${row} <&> "é"`,
      row * 1.5,
      row % 2 === 0,
      toDate(START + row * (DAY + HOUR + MINUTE)),
      row % 7 === 0 ? null : `${row}`,
    ])
    const bytes = Buffer.from(await writeXlsx({ sheets: [{ name: 'One', rows }] }))
    const oracle = (await readByOracle(bytes)).sheets[0]?.rows ?? []
    const texts = await textsOf(bytes)
    assert.equal(texts.One, `${oracle.map((row) => row.map(asText).join('\t').trimEnd()).join('\n')}\n`)
  })
})

function asText(value: unknown): string {
  if (isDate(value)) return value.toISOString().slice(0, 19).replace('T00:00:00', '')
  if (typeof value === 'boolean') return String(value).toUpperCase()
  return String(value ?? '')
}
