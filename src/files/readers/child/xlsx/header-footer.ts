/** Codes for fields of a printed page, and for formatting (ECMA-376, 18.3.1.46). */
const CODES = /&(?:"[^"]{0,255}"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[LCR]|[BIUESXYOHPNDTZFAG+-])|&&/g
const PARTS = /^&[LCR]$/
const LONGEST = 4_096

/** The left, middle and right texts of a header, without codes: `&LLeft&CPage &P` → `Left`, `Page`. */
export function readHeaderFooter(code: string): string[] {
  const plain = code.slice(0, LONGEST).replace(CODES, (one) => {
    if (one === '&&') return '&'
    return PARTS.test(one) ? '\n' : ''
  })
  return plain
    .split(/\r?\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
