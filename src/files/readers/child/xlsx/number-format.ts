import { roundNumber } from '../common/round-number.ts'

/** A section of a number format: texts around the digits. */
interface Section {
  before: string
  after: string
  /** Undefined where the section shows only a text, such as `-` for zero. */
  digits: Intl.NumberFormat | undefined
  /** The factor of the number: 100 for percent, a thousandth for each comma at the end. */
  factor: number
}

/** A percent or currency format: sections for positive numbers, negative numbers, and zero. */
export type NumberFormat = Section[]

/** The longest format that programs write. */
const LONGEST_CODE = 1_024
const MOST_DECIMALS = 30
const MOST_DIGITS = 21
const TOKEN = /"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[([^\]]*)\]|([0#?][0#?,.]*|\.[0#?]+)|(.)/gsu
const COLOUR = /^(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)$/i
/** A currency symbol, or a currency code of three letters. */
const MONEY = /\p{Sc}|^\s*[A-Z]{3}\s*$/u

/**
 * Parses a number format. @returns undefined for a format that is neither percent nor currency, or has conditions: its numbers are
 * written unformatted
 */
export function parseNumberFormat(code: string): NumberFormat | undefined {
  if (code.length > LONGEST_CODE) return undefined
  const sections: Section[] = []
  let isAmount = false
  let section = emptySection()

  function end(): void {
    const { before, after, pattern, percents } = section
    const scale = /,+(?=\.|$)/.exec(pattern)?.[0].length ?? 0
    const factor = 100 ** percents / 1_000 ** scale
    sections.push({ before, after, digits: /[0#]/.test(pattern) ? digitsOf(pattern) : undefined, factor })
    section = emptySection()
  }

  for (const [, quoted, escaped, currency, bracketed, digits, other] of code.matchAll(TOKEN)) {
    // The fourth section is for texts.
    if (sections.length === 3) break
    if (other === ';') end()
    else if (bracketed !== undefined && !COLOUR.test(bracketed)) return undefined
    else if (digits !== undefined) {
      // Digits in two places are a fraction, or a format such as that of a telephone number.
      if (section.pattern !== '') return undefined
      section.pattern = digits
    } else {
      if (other !== undefined && /[eE/@]/.test(other)) return undefined
      const text = quoted ?? escaped ?? currency ?? other ?? ''
      if (other === '%') section.percents += 1
      if (other === '%' || currency || MONEY.test(text)) isAmount = true
      if (section.pattern === '') section.before += text
      else section.after += text
    }
  }
  if (sections.length < 3) end()
  return isAmount && sections[0]?.digits !== undefined ? sections : undefined
}

/** Formats a number; undefined where the format shows nothing. */
export function formatNumber(amount: NumberFormat, value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  const [above, below, nothing] = amount
  const section = (value < 0 ? below : value === 0 ? nothing : above) ?? above
  if (section === undefined) return undefined
  const { before, after, digits, factor } = section
  const scaled = roundNumber(Math.abs(value) * factor)
  const sign = value < 0 && section === above ? '-' : ''
  const shown = `${sign}${before}${digits?.format(scaled) ?? ''}${after}`.replace(/\s+/g, ' ').trim()
  return shown === '' ? undefined : shown
}

function emptySection() {
  return { before: '', after: '', pattern: '', percents: 0 }
}

function digitsOf(pattern: string): Intl.NumberFormat {
  const [whole = '', decimals = ''] = pattern.split('.')
  const count = (text: string, digits: RegExp) => text.match(digits)?.length ?? 0
  return new Intl.NumberFormat('en-US', {
    useGrouping: /[0#?],+[0#?]/.test(whole),
    minimumIntegerDigits: Math.min(MOST_DIGITS, Math.max(1, count(whole, /0/g))),
    minimumFractionDigits: Math.min(MOST_DECIMALS, count(decimals, /0/g)),
    maximumFractionDigits: Math.min(MOST_DECIMALS, count(decimals, /[0#?]/g)),
  })
}
