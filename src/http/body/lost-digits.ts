import { turn } from '../../core/clock.ts'
import { endOfString } from './json-text.ts'

/** Whether a text may have numbers that reading changes: without so many digits, or such an exponent, none are. */
const HAS_CANDIDATES = /\d[\d.]{15}|[eE][-+]?\d{3}/
/** What stands between texts and numbers, and a number. */
const [BETWEEN, NUMBER] = [/[^"\d-]*/y, /[-+.eE\d]*/y]
/** Characters that are looked at in one go; others have their turn in between. */
const PIECE = 256 * 1024

/**
 * The numbers of a JSON text that reading makes others of: two of them may be read as one. However they are written, each
 * as one text, in an order of their own.
 */
export async function lostDigits(text: string): Promise<string[]> {
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

/** One text for all ways to write a decimal number. */
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
