/** The value of a cell; objects and lists are written as JSON. */
type Cell = unknown

/**
 * Texts that a spreadsheet would evaluate as formulas, also in full-width letters (OWASP, CSV injection): at the
 * beginning of a text, and after characters at which programs with other separators begin a new cell.
 */
const FORMULA = /^(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/
const FORMULA_WITHIN = /([;|\t\r\n]["']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** Characters that require quotes (RFC 4180). */
const QUOTED = /[",\r\n]/

/**
 * A CSV cell (RFC 4180). A text that a spreadsheet would evaluate as a formula gets an apostrophe, so that text from
 * strangers is never executed. Numbers keep their minus.
 */
export function toCell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.replace(FORMULA_WITHIN, "$1'").replace(FORMULA, "'")
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A CSV line with its line break. */
export function toLine(cells: Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}
