import { type Meaning, toDateText } from './dates.ts'
import { formatNumber, type NumberFormat, parseNumberFormat } from './number-format.ts'

/** How the numbers of a style are shown. */
export interface CellFormat {
  meaning: Meaning
  /** Of percent and money; undefined where a number is written as it is. */
  number: NumberFormat | undefined
}

/** The formats that every program knows by number (ECMA-376, 18.8.30), where they say a date or a time. */
const BUILT_IN: [from: number, to: number, meaning: Meaning][] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'moment'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
]
/** Those that say percent or money. */
const BUILT_IN_CODES: Record<number, string> = {
  5: '"$"#,##0;("$"#,##0)',
  6: '"$"#,##0;("$"#,##0)',
  7: '"$"#,##0.00;("$"#,##0.00)',
  8: '"$"#,##0.00;("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  42: '"$"#,##0;("$"#,##0);"$-"',
  44: '"$"#,##0.00;("$"#,##0.00);"$-"',
}
/** From here on a format is what the book says it is. */
const FIRST_CUSTOM = 164

/**
 * The format of a number; undefined for one of a book's own that the book does not say.
 * @param codes the formats of the book's own, by their number
 */
export function cellFormatOf(id: number, codes: ReadonlyMap<number, string>): CellFormat | undefined {
  const code = codes.get(id)
  if (code !== undefined) return { meaning: meaningOf(code), number: parseNumberFormat(code) }
  if (id >= FIRST_CUSTOM) return undefined
  const meaning = BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
  return { meaning, number: parseNumberFormat(BUILT_IN_CODES[id] ?? '') }
}

/** A number as its format shows it; undefined where it is written as it is. */
export function formatValue(
  { meaning, number }: CellFormat,
  value: number,
  is1904: boolean,
): string | undefined {
  if (meaning !== 'number') return toDateText(value, meaning, is1904)
  return number === undefined ? undefined : formatNumber(number, value)
}

/** What a format of one's own means, by the letters in its first section that are not text. */
function meaningOf(code: string): Meaning {
  const [section = ''] = code.replace(/"[^"]*"|\\.|_.|\*./g, '').split(';')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration'
  const letters = section.replace(/\[[^\]]*\]/g, '').toLowerCase()
  if (/general/.test(letters)) return 'number'
  const hasTime = /[hs]|am\/pm/.test(letters)
  const hasDate = /[dy]/.test(letters) || (!hasTime && /m/.test(letters))
  if (hasDate) return hasTime ? 'moment' : 'date'
  return hasTime ? 'time' : 'number'
}
