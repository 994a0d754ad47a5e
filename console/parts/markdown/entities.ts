const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/iy
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
const BREAK = /<br ?\/?>/iy

/** What an entity or `<br>` stands for; undefined where there is none. */
export function wordsAt(text: string, at: number): { words: string; length: number } | undefined {
  const pattern = text[at] === '&' ? ENTITY : text[at] === '<' ? BREAK : undefined
  if (pattern === undefined) return undefined
  pattern.lastIndex = at
  const [all, name, decimal, hex] = pattern.exec(text) ?? []
  if (all === undefined) return undefined
  if (pattern === BREAK) return { words: '\n', length: all.length }
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const words = name === undefined ? signOf(code) : ENTITIES[name.toLowerCase()]
  return words === undefined ? undefined : { words, length: all.length }
}

const signOf = (code: number) => (code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : undefined)
