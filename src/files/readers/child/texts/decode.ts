import { loadLibrary } from '../common/load-library.ts'
import type { Warning } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'

interface Hints {
  /** By name or media type; otherwise bytes that are no UTF-8 are taken for no text at all. */
  isSaidToBeText: boolean
  charset: string | undefined
}

interface Decoded {
  text: string
  warnings: Warning[]
}

/** Letters that look alike in many encodings are taken for Western ones where those are at least half as likely. */
const WESTERN = 'windows-1252'
const WESTERN_SHARE = 0.5
/** What the library may find, by its own names, and what the web calls it: all that `TextDecoder` knows and people use. */
const ENCODINGS: Record<string, string> = {
  cp932: 'shift_jis',
  'euc-jp': 'euc-jp',
  gb18030: 'gb18030',
  big5: 'big5',
  cp949: 'euc-kr',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': WESTERN,
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'windows-1258': 'windows-1258',
  'tis-620': 'windows-874',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-5': 'iso-8859-5',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  ibm866: 'ibm866',
}
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' }
/** Controls that stand in no text of old; among decoded letters also those that no encoding of old has any for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g
const UNUSED = /[\x80-\x84\x86-\x9f]/
const UNASSIGNED = /[\p{Cn}\p{Co}]/u
/** Japanese in seven bits, which is ASCII as well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins it.
const SEVEN_BITS = /\x1b\$[@B]/
const META = /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]{1,40})/i
const XML = /^\s*<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})["']/i
const MARKUP = /^\s*</
/** Bytes that a declaration stands within, and by which an encoding is found. */
const HEAD = 2_048
const SAMPLE = 64 * 1024
/** The largest share of control characters in a text. */
const MOST_CONTROLS = 0.1
/** One of two bytes is alike in so many of a text's characters, where each has two. */
const ALIKE = 0.25

/**
 * The text that bytes are: UTF-8, UTF-16 with its mark, what the charset says, what a page or XML says of itself; of what is
 * said to be text and is none of that, what its bytes are most likely to be, with a warning that says so.
 * @returns undefined where they are none
 * @throws Refusal encoding, where they are said to be text and cannot be read as that
 */
export async function decode(
  bytes: Buffer,
  { isSaidToBeText, charset }: Hints,
): Promise<Decoded | undefined> {
  const none = () => (isSaidToBeText ? refuse() : undefined)
  const marked = UTF16_MARKS[bytes.toString('hex', 0, 2)]
  if (marked !== undefined) return sure(strict(marked, bytes)) ?? refuse()
  const isUtf8 = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)
  const byCharset = isUtf8 || charset === undefined ? undefined : strict(charset, bytes)
  if (byCharset !== undefined) return { text: byCharset, warnings: [] }
  const warnings: Warning[] =
    isUtf8 || charset === undefined ? [] : [{ code: 'charset_not_followed', detail: charset }]
  const head = bytes.toString('latin1', 0, HEAD)
  const declared = isUtf8 || !MARKUP.test(head) ? undefined : (XML.exec(head) ?? META.exec(head))?.[1]
  // What can be read as ASCII is in no encoding of two bytes each, whatever it says.
  const itself = declared === undefined || /^utf-?16/i.test(declared) ? undefined : strict(declared, bytes)
  if (itself !== undefined) return { text: itself, warnings }
  const text = strict('utf-8', bytes)
  if (text !== undefined && !text.includes('\0') && !SEVEN_BITS.test(head)) {
    const found = sure(text)
    return found === undefined ? none() : { ...found, warnings }
  }
  const guess = isSaidToBeText ? await guessed(bytes) : undefined
  if (guess !== undefined)
    return { text: guess.text, warnings: [...warnings, { code: 'charset_guessed', detail: guess.charset }] }
  const plain = sure(text)
  return plain === undefined ? none() : { ...plain, warnings }
}

/** A text, unless it consists of controls: then it is something else that can be read as one. */
function sure(text: string | undefined): Decoded | undefined {
  if (text === undefined) return undefined
  const sample = text.slice(0, SAMPLE)
  const controls = sample.match(CONTROLS)?.length ?? 0
  return controls > sample.length * MOST_CONTROLS ? undefined : { text, warnings: [] }
}

/** What the bytes are most likely to be; undefined where they are no text. */
async function guessed(bytes: Buffer): Promise<{ text: string; charset: string } | undefined> {
  const sample = sampleOf(bytes)
  const head = sample.toString('latin1')
  const charsets = SEVEN_BITS.test(head)
    ? ['iso-2022-jp']
    : CONTROL.test(head)
      ? twoBytesEach(sample)
      : await likely(sample)
  for (const charset of charsets) {
    const text = strict(charset, bytes)
    if (text !== undefined && isPlausible(text)) return { text, charset }
  }
  return undefined
}

/** In which no control stands, and nothing that there is no character for. */
function isPlausible(text: string): boolean {
  return !(UNUSED.test(text) || CONTROL.test(text) || UNASSIGNED.test(text.slice(0, SAMPLE)))
}

/** From the first byte on that tells anything, from the beginning of its line. */
function sampleOf(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte === 0 || byte === 0x1b || byte > 0x7f)
  const line = bytes.lastIndexOf(0x0a, Math.max(0, first))
  // Characters of two bytes begin at an even place.
  const from = first - line > SAMPLE / 2 ? first : line + 1
  const even = Math.max(0, from - (from % 2))
  return bytes.subarray(even, even + SAMPLE)
}

/** UTF-16 without its mark, where one of the two bytes is often the same: that which says the script. */
function twoBytesEach(sample: Buffer): string[] {
  const shares = [0, 1].map((parity) => {
    const counts = new Uint32Array(256)
    for (let at = parity; at < sample.length; at += 2)
      counts[sample[at] ?? 0] = (counts[sample[at] ?? 0] ?? 0) + 1
    return Math.max(...counts) / Math.max(1, Math.floor(sample.length / 2))
  })
  const [even = 0, odd = 0] = shares
  if (Math.max(even, odd) < ALIKE) return []
  return odd >= even ? ['utf-16le', 'utf-16be'] : ['utf-16be', 'utf-16le']
}

/** Encodings in the order of their likelihood; windows-1252, the most common one, comes last as the fallback. */
async function likely(sample: Buffer): Promise<string[]> {
  const { detectAll } = await loadLibrary(import('jschardet'))
  const found = detectAll(sample, { detectEncodings: Object.keys(ENCODINGS) }).flatMap((one) => {
    const charset = ENCODINGS[(one.encoding ?? '').toLowerCase()]
    return charset === undefined ? [] : [{ charset, confidence: one.confidence }]
  })
  const [best] = found
  const western = found.find(({ charset }) => charset === WESTERN)
  const isWestern = western !== undefined && western.confidence >= WESTERN_SHARE * (best?.confidence ?? 0)
  const inOrder = found.map(({ charset }) => charset)
  return isWestern ? [WESTERN, ...inOrder] : [...inOrder, WESTERN]
}

/** Without its mark; undefined for what is not of that encoding, or an encoding that is not known. */
function strict(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function refuse(): never {
  throw new Refusal('encoding', 'it is text in no encoding that can be byCharset')
}
