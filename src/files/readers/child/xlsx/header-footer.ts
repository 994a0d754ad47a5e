/** What stands for something that only a printed page has, and what changes how the text looks (ECMA-376, 18.3.1.46). */
const CODES = /&(?:"[^"]{0,255}"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[LCR]|[BIUESXYOHPNDTZFAG+-])|&&/g
const PARTS = /^&[LCR]$/
const LONGEST = 4_096

/** `&LLeft&CPage &P` → `Left`, `Page`: the texts of the left, the middle and the right, without what stands for others. */
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
