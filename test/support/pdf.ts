import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const HEAD = '%PDF-1.4\n'
/** What fills a password up to 32 bytes (ISO 32000-1, 7.6.3.3). */
const PAD = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const ID = Buffer.alloc(16, 7)
const PERMISSIONS = -4

/** A PDF of objects as they stand, in their order from 1. */
export function makePdf(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts = objects.flatMap((object, index) => [`${index + 1} 0 obj\n`, object, '\nendobj\n'])
  const all = [HEAD, ...parts, `trailer <</Root 1 0 R ${trailer}>>\n%%EOF\n`]
  return Buffer.concat(all.map((part) => Buffer.from(part)))
}

/** A stream, compressed by default. */
export function stream(content: string | Buffer, isPacked = false): Buffer {
  const bytes = isPacked ? deflateSync(content) : Buffer.from(content)
  const filter = isPacked ? '/Filter/FlateDecode' : ''
  return Buffer.concat([
    Buffer.from(`<</Length ${bytes.length}${filter}>> stream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

const page = (more = '') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>${more}>>`
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'

/** A PDF with one page of the given operators. */
export function pageOf(
  content: string | Buffer,
  { catalog = '', isPacked = false, more = [] as (string | Buffer)[] } = {},
): Buffer {
  return makePdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    page(),
    stream(content, isPacked),
    FONT,
    ...more,
  ])
}

/** A PDF that is locked by a password, or by none; by the oldest way there is, which every reader knows. */
export function lockedPdf(content: string, password: string): Buffer {
  const user = Buffer.concat([Buffer.from(password), PAD]).subarray(0, 32)
  const owner = rc4(md5(Buffer.concat([Buffer.from('owner'), PAD]).subarray(0, 32)).subarray(0, 5), user)
  const rights = Buffer.alloc(4)
  rights.writeInt32LE(PERMISSIONS)
  const key = md5(Buffer.concat([user, owner, rights, ID])).subarray(0, 5)
  const ofContent = md5(Buffer.concat([key, Buffer.from([4, 0, 0, 0, 0])])).subarray(0, 10)
  return makePdf(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      page(),
      stream(rc4(ofContent, Buffer.from(content))),
      FONT,
      `<</Filter/Standard/V 1/R 2/O<${owner.toString('hex')}>/U<${rc4(key, PAD).toString('hex')}>/P ${PERMISSIONS}>>`,
    ],
    `/Encrypt 6 0 R/ID[<${ID.toString('hex')}><${ID.toString('hex')}>]`,
  )
}

function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest()
}

/** The cipher itself: today's libraries of cryptography leave it out. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index)
  const at = (index: number) => state[index & 255] ?? 0
  const swap = (a: number, b: number) => {
    const kept = at(a)
    state[a & 255] = at(b)
    state[b & 255] = kept
  }
  let j = 0
  for (let i = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  j = 0
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 255
      j = (j + at(i)) & 255
      swap(i, j)
      return byte ^ at(at(i) + at(j))
    }),
  )
}
