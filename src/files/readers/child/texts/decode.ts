import { Refusal } from '../common/refusal.ts'

interface Hints {
  /** By name or media type; otherwise bytes that are no UTF-8 are taken for no text at all. */
  isSaidToBeText: boolean
  charset: string | undefined
  isHtml: boolean
}

const UTF8_MARK = [0xef, 0xbb, 0xbf]
const UTF16_MARKS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' }
/** Controls that stand in no text of a one-byte encoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
const META = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i
const WESTERN = 'windows-1252'

/**
 * The text that bytes are: UTF-8, UTF-16 with its mark, what the charset says, and for what is said to be text the Western
 * encoding of old.
 * @returns undefined where they are none
 * @throws Refusal encoding, where they are said to be text and cannot be read as that
 */
export function decode(bytes: Buffer, { isSaidToBeText, charset, isHtml }: Hints): string | undefined {
  const utf16 = UTF16_MARKS[bytes.toString('hex', 0, 2)]
  if (utf16 !== undefined) return strict(utf16, bytes) ?? refuse()
  const isMarked = UTF8_MARK.every((byte, index) => bytes[index] === byte)
  const said = isMarked ? undefined : (charset ?? (isHtml ? META.exec(ascii(bytes))?.[1] : undefined))
  const byCharset = said === undefined ? undefined : strict(said, bytes)
  const text = byCharset ?? strict('utf-8', bytes)
  if (text !== undefined) return text
  if (!isSaidToBeText) return undefined
  const western = new TextDecoder(WESTERN).decode(bytes)
  return BINARY.test(western) ? refuse() : western
}

function ascii(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 2_048)
}

/** Without its mark; undefined for what is not of that encoding, or an encoding that nobody knows. */
function strict(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function refuse(): never {
  throw new Refusal('encoding', 'it is text in no encoding that can be told')
}
