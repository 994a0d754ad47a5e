import { type Meaning, toDateText } from './dates.ts'
import { formatNumber, type NumberFormat, parseNumberFormat } from './number-format.ts'

/** The number format of a cell style. */
export interface CellFormat {
  meaning: Meaning
  /** The format of percent and currency; undefined where a number is written unformatted. */
  number: NumberFormat | undefined
}

/** The built-in date and time formats by id (ECMA-376, 18.8.30). */
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
/** The built-in percent and currency formats. */
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
/** The first id of a custom format. */
const FIRST_CUSTOM = 164

/**
 * The format with an id; undefined for a custom format that the workbook does not define.
 * @param codes the custom formats by id
 */
export function cellFormatOf(id: number, codes: ReadonlyMap<number, string>): CellFormat | undefined {
  const code = codes.get(id)
  if (code !== undefined) return { meaning: meaningOf(code), number: parseNumberFormat(code) }
  if (id >= FIRST_CUSTOM) return undefined
  const meaning = BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
  return { meaning, number: parseNumberFormat(BUILT_IN_CODES[id] ?? '') }
}

/** Formats a number; undefined where it is written unformatted. */
export function formatValue(
  { meaning, number }: CellFormat,
  value: number,
  is1904: boolean,
): string | undefined {
  if (meaning !== 'number') return toDateText(value, meaning, is1904)
  return number === undefined ? undefined : formatNumber(number, value)
}

/** The meaning of a custom format, by the letters of its first section outside quoted text. */
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
