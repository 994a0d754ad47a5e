/** What a cell is made from; a member that is an object or a list is written as JSON. */
type Cell = unknown

/**
 * What makes a spreadsheet take a text for a formula, as it stands or written in full width (OWASP, CSV injection): at the
 * beginning, and where a program that separates cells otherwise than by commas, and knows their quotes only where it takes a cell to
 * begin, would begin one.
 */
const FORMULA = /^(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/
const FORMULA_WITHIN = /([;|\t\r\n]["']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** What stands in a text of RFC 4180 in quotes only. */
const QUOTED = /[",\r\n]/

/**
 * A cell of a table (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe: what
 * strangers have written runs nowhere. A number is none, its minus stays as it is.
 */
export function toCell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.replace(FORMULA_WITHIN, "$1'").replace(FORMULA, "'")
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of a table, with its end. */
export function toLine(cells: Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

interface Asking {
  headers: { accept?: string | undefined }
}

/** Whether a request asks for a table. */
export function wantsCsv(request: Asking): boolean {
  return asksFor('text/csv', request)
}

/** Whether a request asks for a type: it names it, and names JSON as nothing that it would rather have. */
export function asksFor(type: string, { headers }: Asking): boolean {
  const wish = qualityOf(type, headers.accept)
  return wish > 0 && wish >= qualityOf('application/json', headers.accept)
}

/** How much of a type is wanted (RFC 9110 12.5.1), 0 where nothing names it. */
function qualityOf(type: string, accept = ''): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    return given === undefined ? 1 : Number(given.slice(2)) || 0
  }
  return 0
}
