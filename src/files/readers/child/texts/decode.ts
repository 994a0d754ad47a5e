import { loadLibrary } from '../common/load-library.ts'
import type { Warning } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'

interface Hints {
  /** Whether the name or the media type declares a text. Otherwise bytes that are not UTF-8 do not count as text. */
  isDeclaredText: boolean
  charset: string | undefined
}

interface Decoded {
  text: string
  warnings: Warning[]
}

/** The Western encoding is preferred where it is at least half as likely as the best one. */
const WESTERN = 'windows-1252'
const WESTERN_SHARE = 0.5
/** The detectable encodings: the library's name, and that of `TextDecoder`. */
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
/** Control characters that no text contains; and code points that decoded legacy encodings do not use. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g
const UNUSED = /[\x80-\x84\x86-\x9f]/
const UNASSIGNED = /[\p{Cn}\p{Co}]/u
/** ISO-2022-JP, whose bytes are valid ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins it.
const SEVEN_BITS = /\x1b\$[@B]/
const META = /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]{1,40})/i
const XML = /^\s*<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})["']/i
const MARKUP = /^\s*</
/** Bytes that are searched for a declaration, and bytes that are used for detection. */
const HEAD = 2_048
const SAMPLE = 64 * 1024
/** The largest share of control characters in a text. */
const MOST_CONTROLS = 0.1
/** In UTF-16 one of the two bytes is the same in at least this share of the characters. */
const ALIKE = 0.25

/**
 * Decodes a text: by its byte order mark, by the given charset, by the declaration of HTML or XML, or as UTF-8. For declared texts
 * that are none of these the most likely encoding is used, with a warning.
 * @returns undefined where the bytes are no text
 * @throws Refusal encoding, where they are declared as text and cannot be decoded
 */
export async function decode(
  bytes: Buffer,
  { isDeclaredText, charset }: Hints,
): Promise<Decoded | undefined> {
  const none = () => (isDeclaredText ? refuse() : undefined)
  const marked = UTF16_MARKS[bytes.toString('hex', 0, 2)]
  if (marked !== undefined) return sure(strict(marked, bytes)) ?? refuse()
  const isUtf8 = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)
  const byCharset = isUtf8 || charset === undefined ? undefined : strict(charset, bytes)
  if (byCharset !== undefined) return { text: byCharset, warnings: [] }
  const warnings: Warning[] =
    isUtf8 || charset === undefined ? [] : [{ code: 'charset_not_followed', detail: charset }]
  const head = bytes.toString('latin1', 0, HEAD)
  const declared = isUtf8 || !MARKUP.test(head) ? undefined : (XML.exec(head) ?? META.exec(head))?.[1]
  // A declaration that is readable as ASCII cannot be in UTF-16, even where it names it.
  const itself = declared === undefined || /^utf-?16/i.test(declared) ? undefined : strict(declared, bytes)
  if (itself !== undefined) return { text: itself, warnings }
  const text = strict('utf-8', bytes)
  if (text !== undefined && !text.includes('\0') && !SEVEN_BITS.test(head)) {
    const found = sure(text)
    return found === undefined ? none() : { ...found, warnings }
  }
  const guess = isDeclaredText ? await guessed(bytes) : undefined
  if (guess !== undefined)
    return { text: guess.text, warnings: [...warnings, { code: 'charset_guessed', detail: guess.charset }] }
  const plain = sure(text)
  return plain === undefined ? none() : { ...plain, warnings }
}

/** A decoded text; undefined where it has too many control characters to be one. */
function sure(text: string | undefined): Decoded | undefined {
  if (text === undefined) return undefined
  const sample = text.slice(0, SAMPLE)
  const controls = sample.match(CONTROLS)?.length ?? 0
  return controls > sample.length * MOST_CONTROLS ? undefined : { text, warnings: [] }
}

/** Decodes by the most likely encoding; undefined where the bytes are no text. */
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

/** Whether a decoded text has neither control characters nor unassigned code points. */
function isPlausible(text: string): boolean {
  return !(UNUSED.test(text) || CONTROL.test(text) || UNASSIGNED.test(text.slice(0, SAMPLE)))
}

/** The bytes for detection: from the line of the first non-ASCII byte on. */
function sampleOf(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte === 0 || byte === 0x1b || byte > 0x7f)
  const line = bytes.lastIndexOf(0x0a, Math.max(0, first))
  // Characters of UTF-16 begin at an even offset.
  const from = first - line > SAMPLE / 2 ? first : line + 1
  const even = Math.max(0, from - (from % 2))
  return bytes.subarray(even, even + SAMPLE)
}

/** UTF-16 without a byte order mark, where the high byte is often the same. */
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

/** Decodes strictly, without the byte order mark; undefined for invalid bytes or an unknown encoding. */
function strict(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function refuse(): never {
  throw new Refusal('encoding', 'its encoding is unknown')
}
