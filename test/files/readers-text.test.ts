import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createWriter } from '#src/files/readers/child/common/writer.ts'
import { createReaders, type Readers } from '#src/files/readers/read-text.ts'
import { readHere } from '../support/in-process.ts'
import { read, textOf, verdictOf } from '../support/reading.ts'

describe('texts', () => {
  let readers: Readers
  before(() => {
    readers = createReaders()
  })
  after(() => readers.close())

  it('are kept as they stand, whatever lines end with', async () => {
    const reading = await read(readers, 'one\r\ntwo\n\u{1f600}\n', 'a.txt')
    assert.deepEqual(reading, {
      ok: true,
      kind: 'text',
      mediaType: 'text/plain',
      pieces: [{ text: 'one\r\ntwo\n\u{1f600}\n', location: {} }],
      chars: 12,
      warnings: [],
      truncated: false,
    })
  })

  it('are read in UTF-8, in UTF-16 with its mark, in what the charset says, and in the Western encoding of old', async () => {
    const utf16 = Buffer.from('\ufeffGrüße', 'utf16le')
    const western = Buffer.from('Gr\xfc\xdfe', 'latin1')
    assert.equal(textOf(await read(readers, '\ufeffGrüße', 'a')), 'Grüße')
    assert.equal(textOf(await read(readers, utf16, 'a')), 'Grüße')
    assert.equal(textOf(await read(readers, Buffer.from(utf16).swap16(), 'a')), 'Grüße')
    assert.equal(textOf(await read(readers, western, 'a.csv')), 'Grüße\n')
    const greek = Buffer.from([0xe1, 0xe2, 0xe3])
    assert.equal(
      textOf(await read(readers, greek, 'a', { mediaType: 'text/plain', charset: 'iso-8859-7' })),
      'αβγ',
    )
  })

  it('in no encoding are refused as that, and what is not said to be text as unknown', async () => {
    const binary = Buffer.from([1, 2, 0xff, 0, 0xc0])
    assert.equal(verdictOf(await read(readers, binary, 'a.txt')), 'PARSE_FAILED encoding')
    assert.equal(verdictOf(await read(readers, binary, 'a.bin')), 'PARSE_FAILED unsupported')
    const loneHalf = Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])
    assert.equal(verdictOf(await read(readers, loneHalf, 'a.txt')), 'PARSE_FAILED encoding')
  })

  it('lose what no database takes: NUL and other controls', async () => {
    assert.equal(textOf(await read(readers, 'a\0b\x1b[31mc\td', 'a.txt')), 'ab[31mc\td')
  })

  it('in Markdown know the heading above them, of either kind, and none within code', async () => {
    const reading = await read(
      readers,
      'zero\n# One #\none\n\nTwo\n===\n```\n# code\n```\n## Three\n',
      'a.md',
    )
    assert.ok(reading.ok)
    assert.deepEqual(reading.pieces, [
      { text: 'zero\n', location: {} },
      { text: '# One #\none\n\n', location: { heading: 'One' } },
      { text: 'Two\n===\n```\n# code\n```\n', location: { heading: 'Two' } },
      { text: '## Three\n', location: { heading: 'Three' } },
    ])
  })

  it('of JSON have the letters that were written as numbers', async () => {
    const reading = await read(
      readers,
      String.raw`{"a":"Gr\u00fc\u00DFe \\u00fc \u0022 \ud83d\ude00"}`,
      'a.json',
    )
    assert.equal(textOf(reading), String.raw`{"a":"Grüße \\u00fc \u0022 😀"}`)
  })

  it('of JSON have them wherever they stand, in pairs as well', async () => {
    for (const [escaped, letter] of [
      [String.raw`\ud83d\ude00`, '😀'],
      [String.raw`\u00fc`, 'ü'],
      [String.raw`\\u00fc`, String.raw`\\u00fc`],
      [String.raw`\\\u00fc`, String.raw`\\ü`],
    ] as const)
      for (let before = 0; before < 20; before += 1) {
        const begin = `"${'a'.repeat(32 * 1024 - before)}`
        const { pieces } = await readHere(`${begin}${escaped}b"`, 'a.json')
        assert.equal(pieces.map(({ text }) => text).join(''), `${begin}${letter}b"`)
      }
  })

  it('of CSV are rows with fields, by the delimiter that the first line has', async () => {
    const rows = 'a;b,c;d\n1;"2\n""3""";4\n\nshort\n'
    assert.equal(textOf(await read(readers, rows, 'a.csv')), 'a\tb,c\td\n1\t2 "3"\t4\nshort\n')
    assert.equal(textOf(await read(readers, 'a\tb\n1\t2', 'a.tsv')), 'a\tb\n1\t2\n')
  })

  it('of HTML are what a person reads in it', async () => {
    const page = `<!DOCTYPE html><html><head><title>T &amp; U</title><style>p{}</style><script>alert(1)</script></head>
      <body>zero<h1>One <b>bold</b></h1><p>one  <i>it</i>alic<p>two<br>three<table><tr><td>1<td>2<tr><td>3</table>
      <img src="http://127.0.0.1:9/"><noscript>no</noscript></body></html>`
    const reading = await read(readers, page, 'page')
    assert.ok(reading.ok)
    assert.equal(reading.kind, 'html')
    assert.deepEqual(reading.pieces, [
      { text: 'T & U\nzero\n', location: {} },
      { text: 'One bold\none italic\ntwo\nthree\n1\t2\n3\n', location: { heading: 'One bold' } },
    ])
  })

  it('in Markdown know headings of any script that are underlined', async () => {
    for (const heading of ['日本語', 'Ελλάδα', 'Ärger', '2026']) {
      const reading = await readHere(`${heading}\n===\ntext\n`, 'a.md')
      assert.equal(reading.pieces[0]?.location.heading, heading)
    }
  })

  it('of HTML keep their lines within pre, and nowhere else', async () => {
    const page = '<p>a\n b</p><pre>\nif x:\n    <b>y</b>\n\nz\n</pre><p>c\n  d</p><pre>e</pre>'
    const { pieces } = await readHere(page, 'a.html')
    assert.equal(pieces.map(({ text }) => text).join(''), 'a b\nif x:\n    y\n\nz\nc d\ne\n')
  })

  it('of HTML have headings with their words apart, whatever stands between them', async () => {
    const page = '<html><h1>The <em>big</em> house</h1>a<h2>Q &amp; A<br>of <b>R&amp;D</b> </h2>b'
    const reading = await read(readers, page, 'page.html')
    assert.ok(reading.ok)
    assert.deepEqual(
      reading.pieces.map(({ location }) => location.heading),
      ['The big house', 'Q & A of R&D'],
    )
  })

  it('keep a character whole wherever it stands, in the text and in its headings', async () => {
    const text = [64, 128, 256].reduce((begun, kib) => `${begun.padEnd(kib * 1024 - 1, 'a')}\u{1f600}`, '')
    for (const name of ['a.txt', 'a.csv', 'a.html'])
      assert.equal(textOf(await read(readers, text, name)).trim(), text)
    const reading = await read(readers, `# ${'a'.repeat(199)}\u{1f600}\n`, 'a.md')
    assert.ok(reading.ok)
    assert.deepEqual(reading.pieces[0]?.location, { heading: 'a'.repeat(199) })
  })

  it('that begin as a zip does, or speak of PDF, are texts', async () => {
    assert.equal(verdictOf(await read(readers, 'PK;Name\n1;Ada\n', 'a.csv')), 'ok csv')
    assert.equal(verdictOf(await read(readers, 'PK0001;PK0002\n', 'a.txt')), 'ok text')
    assert.equal(verdictOf(await read(readers, '# PDF\n\nIt begins with %PDF-1.7.\n', 'a.md')), 'ok markdown')
  })

  it('come in pieces that end with a line and never within a character, and are cut off at 32 MiB of characters', async () => {
    const emoji = '\u{1f600}'.repeat(50_000)
    const reading = await read(readers, emoji, 'a.txt')
    assert.equal(textOf(reading), emoji)
    assert.ok(reading.ok && reading.pieces.every(({ text }) => text.isWellFormed() && text.length <= 16_384))
    const long = await read(readers, Buffer.alloc(33 * 1024 * 1024, 'sixteen letters\n'), 'a.txt')
    assert.ok(long.ok)
    assert.equal(long.truncated, true)
    assert.equal(long.chars, 32 * 1024 * 1024)
    assert.ok(long.pieces.every(({ text }) => text.endsWith('\n')))
  })

  it('are looked at in a time that does not grow faster than they do', { timeout: 30_000 }, async () => {
    const comments = '<!---->'.repeat(280)
    assert.equal((await readHere(`${comments}text`, 'page')).kind, 'text')
    assert.equal((await readHere(`${'<!---->'.repeat(100)}<html>text</html>`, 'page')).kind, 'html')
    assert.equal((await readHere(`# ${'#'.repeat(1_000_000)}x\n`, 'a.md')).verdict, 'end')
  })

  it('with a record of CSV that does not end, or elements too deep, are too large', async () => {
    const quote = Buffer.concat([Buffer.from('a,"'), Buffer.alloc(3 * 1024 * 1024, 'x')])
    assert.equal(verdictOf(await read(readers, quote, 'a.csv')), 'PARSE_FAILED too_large')
    assert.equal(verdictOf(await read(readers, '<div>'.repeat(100_000), 'a.html')), 'PARSE_FAILED too_large')
  })
})

it('a line without an end takes as much of the processor as many short ones, however long it is', () => {
  const [length, part] = [16 * 1024 * 1024, 64 * 1024]
  /** Milliseconds of the processor for a text that is written in parts. */
  const cost = (parts: string[]) => {
    const before = process.cpuUsage()
    const writer = createWriter(() => {})
    for (const one of parts) writer.write(one)
    writer.end()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  const inParts = cost(Array.from({ length: length / part }, () => 'a'.repeat(part)))
  const atOnce = cost(['a'.repeat(length)])
  assert.ok(atOnce < 10 * Math.max(inParts, 50), `${atOnce} ms at once, ${inParts} in parts`)
})
