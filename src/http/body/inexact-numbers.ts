import { turn } from '../../core/clock.ts'
import { endOfString } from './json-text.ts'

/** A text may hold inexact numbers only if it has a number of 16 characters, or an exponent of three digits. */
const HAS_CANDIDATES = /\d[\d.]{15}|[eE][-+]?\d{3}/
/** The text between two tokens, and a number. */
const [BETWEEN, NUMBER] = [/[^"\d-]*/y, /[-+.eE\d]*/y]
/** Characters that are scanned before other requests get a turn. */
const PIECE = 256 * 1024

/**
 * The numbers of a JSON text that a double does not represent exactly, normalized and sorted. Two bodies that differ
 * only in them would compare as equal after parsing.
 */
export async function inexactNumbers(text: string): Promise<string[]> {
  if (!HAS_CANDIDATES.test(text)) return []
  const lost: string[] = []
  let at = 0
  let rested = 0
  for (;;) {
    at = endOf(BETWEEN, text, at)
    if (at === text.length) return lost.sort()
    const start = at
    if (text.charAt(start) === '"') at = endOfString(text, start)
    else {
      at = endOf(NUMBER, text, start)
      const number = text.slice(start, at)
      const written = decimalOf(number)
      if (written !== decimalOf(String(Number(number)))) lost.push(written)
    }
    if (at - rested < PIECE) continue
    rested = at
    await turn()
  }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.exec(text)
  return pattern.lastIndex
}

/** One spelling for all spellings of a decimal number. */
function decimalOf(number: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number)
  if (parts === null) return number
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  if (start === end) return '0'
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}
