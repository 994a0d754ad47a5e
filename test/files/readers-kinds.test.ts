import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHere } from '../support/in-process.ts'

const lines = (...all: string[]) => all.join('\r\n')
const HEAD = [
  'From: Ada <ada@example.com>',
  'To: Bob <bob@example.com>',
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
]
const MAIL = lines(
  ...HEAD,
  'Date: Mon, 23 Nov 2026 10:00:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain; charset=windows-1251',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('cff0e8e2e5f2', 'hex').toString('base64'),
  '--x',
  'Content-Type: application/pdf; name=plan.pdf',
  'Content-Disposition: attachment; filename=plan.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.alloc(3_000, 7).toString('base64'),
  '--x--',
  '',
)
const MAIL_TEXT =
  'Grüße\nFrom: Ada <ada@example.com>\nTo: Bob <bob@example.com>\nDate: 2026-11-23T10:00:00.000Z\nПривет\nplan.pdf\n'
const PAGE = lines(
  ...HEAD,
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<style>p{}</style><h1>One</h1><p>caf=C3=A9</p>',
  '',
)

const flat = (type: string, body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<office:document xmlns:office="o" xmlns:text="t" xmlns:table="ta" xmlns:style="s" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${type}"><office:styles><style:x>no</style:x></office:styles><office:body>${body}</office:body></office:document>`
const SHEET =
  '<office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="2"><text:p>2</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>'
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

async function textOf(content: string | Buffer, name: string, mediaType = '', charset: string | null = null) {
  const { kind, pieces, verdict, warnings } = await readHere(content, name, { mediaType, charset })
  return { kind, verdict, warnings, text: pieces.map(({ text }) => text).join('') }
}

/** What is sent, under which name, and what it comes to: a kind and its text, or why there is none. */
const KINDS: [what: string, content: string | Buffer, name: string, kind: string, text: string][] = [
  ['a message', MAIL, 'a.eml', 'mail', MAIL_TEXT],
  ['a message by its content alone', MAIL, 'a.txt', 'mail', MAIL_TEXT],
  [
    'a message that is a page',
    PAGE,
    'a.eml',
    'mail',
    'Grüße\nFrom: Ada <ada@example.com>\nTo: Bob <bob@example.com>\nOne\ncafé\n',
  ],
  [
    'a folder of messages',
    `From ada Mon Nov 23 10:00:00 2026\r\n${MAIL}\r\nFrom bob Mon Nov 23 10:00:00 2026\r\n${lines(...HEAD, '', 'two', 'From here on', '')}`,
    'a.mbox',
    'mailbox',
    `${MAIL_TEXT}Grüße\nFrom: Ada <ada@example.com>\nTo: Bob <bob@example.com>\ntwo\nFrom here on\n`,
  ],
  [
    'a document in one XML',
    flat('text', '<office:text><text:p>first</text:p></office:text>'),
    'a.fodt',
    'odt',
    'first\n',
  ],
  ['a book in one XML', flat('spreadsheet', SHEET), 'a.xml', 'ods', 'a\t2\n'],
  ['a page that is called a table', '<!doctype html><p>a, b</p>', 'a.csv', 'html', 'a, b\n'],
  ['a table of a page that is called a book', '<table><tr><td>1<td>2</table>', 'a.xls', 'html', '1\t2\n'],
  [
    'a page that is called JSON',
    '<html><body>502 Bad Gateway</body></html>',
    'a.json',
    'html',
    '502 Bad Gateway\n',
  ],
  [
    'XML, without its tags',
    '<?xml version="1.0"?><a b="c"><d>one</d><d>two &amp; three</d></a>',
    'a.txt',
    'xml',
    'one\ntwo & three\n',
  ],
  [
    'a picture of lines, by its words',
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg><text>label</text></svg>',
    'a.svg',
    'xml',
    'label\n',
  ],
  [
    'Markdown with some markup in it',
    '<table><tr><td>\n\n# One\n',
    'a.md',
    'markdown',
    '<table><tr><td>\n\n# One\n',
  ],
  [
    'notes that look a little like a message',
    'To: do\nDate: today\n\nmilk\n',
    'a.txt',
    'text',
    'To: do\nDate: today\n\nmilk\n',
  ],
]

/** What is refused, whatever it is called. */
const REFUSED: [what: string, content: string | Buffer, name: string, verdict: string][] = [
  ['rich text', '{\\rtf1\\ansi hello}', 'a.rtf', 'rtf unsupported'],
  ['rich text that is called a text', '{\\rtf1\\ansi hello}', 'a.txt', 'rtf unsupported'],
  ['a picture that is called a table', PNG, 'a.csv', 'unknown unsupported'],
  ['what gzip packed, and is called a text', Buffer.from('1f8b0800', 'hex'), 'a.txt', 'unknown unsupported'],
  ['a table of controls', Buffer.from('\x01\x02\x03,\x04\x05\n\x06\x07'), 'a.csv', 'unknown encoding'],
  ['bytes that can be read as ASCII', Buffer.from('\x00\x01\x02\x7fELF'), 'a.bin', 'unknown unsupported'],
  ['XML that ends too early', '<?xml version="1.0"?><a><b>one</b>', 'a.xml', 'xml corrupt'],
  ['XML that declares entities', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', 'a.xml', 'xml corrupt'],
  [
    'an encrypted message',
    lines(...HEAD, 'MIME-Version: 1.0', 'Content-Type: multipart/encrypted; boundary=x', '', '--x--'),
    'a.eml',
    'mail encrypted',
  ],
  ...['a.txt', 'a.md', 'a.csv', 'a.json', 'a.html'].map((name): (typeof REFUSED)[number] => [
    `nothing but blanks in ${name}`,
    ' \n\t\n',
    name,
    `${{ '.txt': 'text', '.md': 'markdown', '.csv': 'csv', '.json': 'json', '.html': 'html' }[name.slice(1)]} no_text`,
  ]),
]

describe('a file is what its content says', () => {
  for (const [what, content, name, kind, text] of KINDS) {
    it(`${what}: ${kind}`, async () => {
      const read = await textOf(content, name)
      assert.deepEqual([read.kind, read.verdict, read.text], [kind, 'end', text])
    })
  }
  for (const [what, content, name, verdict] of REFUSED) {
    it(`${what}: ${verdict}`, async () => {
      const said = await readHere(content, name)
      assert.equal(said.verdict === 'end' ? 'end' : said.verdict, verdict)
    })
  }

  it('what is attached to a message is named, and that it was not read is said', async () => {
    assert.deepEqual((await textOf(MAIL, 'a.eml')).warnings, [
      { code: 'attachments_not_read', detail: 'plan.pdf' },
    ])
  })
})

const JAPANESE: [charset: string, hex: string, text: string][] = [
  ['shift_jis', '69642c6e616d650a312c9363928691be98590a322c8db293a10a', 'id\tname\n1\t田中太郎\n2\t佐藤\n'],
]
const LETTERS: [charset: string, bytes: Buffer, text: string][] = [
  [
    'windows-1251',
    Buffer.from('cff0e8e2e5f22c20ece8f02120dd f2ee20f2e5eaf1f2'.replaceAll(' ', ''), 'hex'),
    'Привет, мир! Это текст',
  ],
  ['gb18030', Buffer.from('d5e2cac7d2bbb8f6d6d0cec4cec4b1becec4bcfea3ac', 'hex'), '这是一个中文文本文件，'],
  ['windows-1252', Buffer.from('Gr\xfc\xdfe aus Z\xfcrich', 'latin1'), 'Grüße aus Zürich'],
  ['utf-16le', Buffer.from('Это текст.', 'utf16le'), 'Это текст.'],
  ['utf-16be', Buffer.from('plain words', 'utf16le').swap16(), 'plain words'],
  ['utf-16le', Buffer.from('これは日本語です。', 'utf16le'), 'これは日本語です。'],
  ['iso-2022-jp', Buffer.from('\x1b$B$3$l\x1b(B', 'latin1'), 'これ'],
]

describe('letters', () => {
  for (const [charset, bytes, text] of LETTERS) {
    it(`that nothing is said of are found to be ${charset}: ${text}`, async () => {
      const read = await textOf(bytes, 'a.txt')
      assert.deepEqual([read.text, read.warnings], [text, [{ code: 'charset_guessed', detail: charset }]])
    })
  }
  for (const [charset, hex, text] of JAPANESE) {
    it(`of a table are found to be ${charset}`, async () => {
      const read = await textOf(Buffer.from(hex, 'hex'), 'a.csv')
      assert.deepEqual([read.text, read.warnings[0]?.detail], [text, charset])
    })
  }

  it('are read as it was said, and as a page or XML says of itself, without a guess', async () => {
    const russian = LETTERS[0]?.[1] ?? Buffer.alloc(0)
    const said = await textOf(russian, 'a.txt', 'text/plain', 'koi8-r')
    assert.notEqual(said.text, 'Привет, мир! Это текст')
    const page = Buffer.concat([Buffer.from('<html><meta charset="windows-1251"><p>'), russian])
    const xml = Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>'),
      russian,
      Buffer.from('</a>'),
    ])
    assert.equal((await textOf(page, 'a.html')).text, 'Привет, мир! Это текст\n')
    assert.equal((await textOf(xml, 'a.xml')).text, 'Привет, мир! Это текст\n')
    for (const read of [said, await textOf(page, 'a.html'), await textOf(xml, 'a.xml')])
      assert.deepEqual(read.warnings, [])
  })

  it('that are not written as was said are read otherwise, which is said', async () => {
    const read = await textOf(Buffer.from('Gr\xfc\xdfe', 'latin1'), 'a.txt', 'text/plain', 'utf-8')
    assert.deepEqual(read.text, 'Grüße')
    assert.deepEqual(read.warnings, [
      { code: 'charset_not_followed', detail: 'utf-8' },
      { code: 'charset_guessed', detail: 'windows-1252' },
    ])
    const plain = await textOf('Grüße', 'a.txt', 'text/plain', 'none-such')
    assert.deepEqual(
      [plain.text, plain.warnings],
      ['Grüße', [{ code: 'charset_not_followed', detail: 'none-such' }]],
    )
  })
})
