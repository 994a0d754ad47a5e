import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHere } from '../support/in-process.ts'
import { bookEntries, makeDocx, makeOdf, relationships } from '../support/office.ts'
import { makeZip } from '../support/zip.ts'

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const CHART = `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>
  <c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>A1</c:f><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>
  <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>
  <c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>3</c:v></c:pt><c:pt idx="1"><c:v>4</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
const CHARTED = 'Sales\nNorth\nMay\t3\nJune\t4\n'

async function textOf(bytes: Buffer, name: string): Promise<string> {
  const { verdict, pieces } = await readHere(bytes, name)
  assert.equal(verdict, 'end')
  return pieces.map(({ text }) => text).join('')
}

describe('what stands beside a text is read as well', () => {
  it('of Word: headers and footers once each, comments, charts, diagrams, fields of forms', async () => {
    const body = `${p('text')}<w:p><w:r><w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar><w:t xml:space="preserve"> paid</w:t></w:r></w:p>
      <w:p><w:r><w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData></w:fldChar></w:r></w:p>
      <w:sdt><w:sdtContent>${p('filled in')}</w:sdtContent></w:sdt>`
    const part = (name: string, root: string, content: string) => ({
      name: `word/${name}`,
      data: `<w:${root} xmlns:w="w" xmlns:a="a">${content}</w:${root}>`,
    })
    const bytes = makeDocx(
      body,
      [
        part('h1.xml', 'hdr', p('ACME')),
        part('h2.xml', 'hdr', p('ACME') + p('first page')),
        part('f.xml', 'ftr', p('confidential')),
        part('c.xml', 'comments', `<w:comment w:id="0">${p('is this so?')}</w:comment>`),
        { name: 'word/charts/chart1.xml', data: CHART },
        part('d.xml', 'dataModel', '<a:p><a:r><a:t>step one</a:t></a:r></a:p>'),
      ],
      [
        ['rId1', 'header', 'h1.xml'],
        ['rId2', 'header', 'h2.xml'],
        ['rId3', 'footer', 'f.xml'],
        ['rId4', 'comments', 'c.xml'],
        ['rId5', 'chart', 'charts/chart1.xml'],
        ['rId6', 'diagramData', 'd.xml'],
      ],
    )
    assert.equal(
      await textOf(bytes, 'a.docx'),
      `ACME\nfirst page\ntext\n☒ paid\nblue\nfilled in\nis this so?\n${CHARTED}step one\nconfidential\n`,
    )
  })

  it('of a book: comments with their cells, texts of drawings, charts, what its pages have above and below', async () => {
    const sheet =
      '<sheetData><row><c><v>1</v></c></row></sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Q&amp;&amp;A&amp;CPlan &amp;P</oddHeader></headerFooter>'
    const comments = (root: string, text: string) => `<${root}>${text}</${root}>`
    const rels = (
      rows: Parameters<typeof relationships>[0],
      name = 'xl/worksheets/_rels/sheet1.xml.rels',
    ) => ({
      name,
      data: relationships(rows),
    })
    const notes = {
      name: 'xl/comments1.xml',
      data: comments(
        'comments',
        '<comment ref="A1"><text><r><t>check </t></r><r><t>this</t></r></text></comment>',
      ),
    }
    const drawn = [
      {
        name: 'xl/drawings/drawing1.xml',
        data: '<xdr:wsDr xmlns:xdr="x" xmlns:a="a"><xdr:txBody><a:p><a:r><a:t>a box</a:t></a:r></a:p></xdr:txBody></xdr:wsDr>',
      },
      rels([['rId1', 'chart', '../charts/chart1.xml']], 'xl/drawings/_rels/drawing1.xml.rels'),
      { name: 'xl/charts/chart1.xml', data: CHART },
    ]
    const both: Parameters<typeof relationships>[0] = [
      ['rId1', 'comments', '../comments1.xml'],
      ['rId2', 'drawing', '../drawings/drawing1.xml'],
    ]
    const book = makeZip([...bookEntries({ sheets: { S: sheet } }), rels(both), notes, ...drawn])
    assert.equal(await textOf(book, 'a.xlsx'), `1\nQ&A\nPlan\nA1: check this\na box\n${CHARTED}`)
    const threads = {
      name: 'xl/threads.xml',
      data: comments('ThreadedComments', '<threadedComment ref="A1"><text>check it</text></threadedComment>'),
    }
    const threaded = makeZip([
      ...bookEntries({ sheets: { S: sheet } }),
      rels([...both.slice(0, 1), ['rId3', 'threadedComment', '../threads.xml']]),
      notes,
      threads,
    ])
    assert.equal(await textOf(threaded, 'a.xlsx'), '1\nQ&A\nPlan\nA1: check it\n')
  })

  it('of slides: charts, diagrams, comments of either kind, footers, and no numbers of pages', async () => {
    const shape = (text: string, type: string) =>
      `<p:sp><p:nvPr><p:ph type="${type}"/></p:nvPr><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp>`
    const bytes = makeZip([
      { name: '[Content_Types].xml', data: '<Types/>' },
      {
        name: 'ppt/presentation.xml',
        data: '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldId id="256" r:id="rId1"/></p:presentation>',
      },
      { name: 'ppt/_rels/presentation.xml.rels', data: relationships([['rId1', 'slide', 'slides/s.xml']]) },
      {
        name: 'ppt/slides/s.xml',
        data: `<p:sld xmlns:p="p" xmlns:a="a">${shape('body', 'body')}${shape('7', 'sldNum')}${shape('ACME', 'ftr')}</p:sld>`,
      },
      {
        name: 'ppt/slides/_rels/s.xml.rels',
        data: relationships([
          ['rId1', 'chart', '../chart.xml'],
          ['rId2', 'comments', '../old.xml'],
          ['rId3', 'comments', '../new.xml'],
        ]),
      },
      { name: 'ppt/chart.xml', data: CHART },
      { name: 'ppt/old.xml', data: '<p:cmLst xmlns:p="p"><p:cm><p:text>old one</p:text></p:cm></p:cmLst>' },
      {
        name: 'ppt/new.xml',
        data: '<q:cmLst xmlns:q="q" xmlns:a="a"><q:cm><a:p><a:r><a:t>new one</a:t></a:r></a:p></q:cm></q:cmLst>',
      },
    ])
    assert.equal(await textOf(bytes, 'a.pptx'), `body\nACME\n${CHARTED}old one\nnew one\n`)
  })

  it('of OpenDocument: headers and footers, comments behind their line, fields of forms, charts', async () => {
    const xlink = 'xmlns:xlink="x" xmlns:form="form" xmlns:dc="dc" xmlns:chart="chart" xmlns:style="style"'
    const bytes = makeOdf(
      'text',
      `<office:text ${xlink}><office:forms><form:form><form:text form:label="Name" form:current-value="Ada"/><form:checkbox form:label="paid" form:current-state="checked"/><form:hidden form:value="no"/></form:form></office:forms>
        <text:p>a<office:annotation><dc:creator>Bob</dc:creator><dc:date>2026</dc:date><text:p>is it?</text:p></office:annotation>b</text:p><draw:object xlink:href="./Object 1"/></office:text>`,
      [
        {
          name: 'styles.xml',
          data: `<office:document-styles ${xlink} xmlns:office="office" xmlns:text="text"><office:master-styles><style:master-page><style:header><text:p>ACME</text:p></style:header><style:footer><text:p>end</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`,
        },
        {
          name: 'Object 1/content.xml',
          data: `<office:document-content ${xlink} xmlns:office="office" xmlns:text="text" xmlns:table="table"><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="3"><text:p>3</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>`,
        },
      ],
    )
    assert.equal(
      (await textOf(bytes, 'a.odt')).replace(/\n\s+/g, '\n'),
      'Name Ada\n☒ paid\nab\nis it?\nSales\nMay\t3\nACME\nend\n',
    )
  })

  it('of books of OpenDocument: percent and money as they are shown, comments, and nothing that only a printed page has', async () => {
    const cell = (type: string, value: string, shown = '', more = '') =>
      `<table:table-cell office:value-type="${type}" office:value="${value}" ${more}>${shown && `<text:p>${shown}</text:p>`}</table:table-cell>`
    const bytes = makeOdf(
      'spreadsheet',
      `<office:spreadsheet><table:table table:name="S"><table:table-row>${cell('percentage', '0.25', '25 %')}${cell('currency', '1234.5', '1.234,50 €')}${cell('percentage', '0.07')}${cell('currency', '3', '', 'office:currency="CHF"')}<table:table-cell><office:annotation><text:p>why</text:p></office:annotation><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`,
      [
        {
          name: 'styles.xml',
          data: '<office:document-styles xmlns:office="office" xmlns:text="text" xmlns:style="style"><office:master-styles><style:header><text:p>Page <text:page-number>1</text:page-number></text:p></style:header></office:master-styles></office:document-styles>',
        },
      ],
    )
    assert.equal(await textOf(bytes, 'a.ods'), '25 %\t1.234,50 €\t7%\t3 CHF\tx\nwhy\n')
  })
})
