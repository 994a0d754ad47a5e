/** Stands in an object for the members that are left out. */
export const MORE = '…'

/** What is too long to be read, or must not be; its beginning is enough to recognise it. */
const SHORTENED: readonly (readonly [RegExp, string])[] = [
  // An id: `acc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42`.
  [/\b([a-z]{3}_[0-9a-f]{4})[0-9a-f]{4}(?:-[0-9a-f]{4}){3}-[0-9a-f]{8}([0-9a-f]{4})\b/g, '$1…$2'],
  // A JWT; an API key or a webhook's secret; a signature.
  [/\b(eyJ[\w-]{5})[\w-]+\.[\w-]+\.[\w-]+/g, '$1…'],
  [/\b((?:psk_|ppk_|whsec_)[\w+/]{4})[\w+/=-]+/g, '$1…'],
  [/\b((?:sha256=|v1,)[\w+/]{6})[\w+/=-]+/g, '$1…'],
  // The token of a link or of a cookie.
  [/(?<![\w-])([\w-]{4})[\w-]{28,}/g, '$1…'],
]

const HIDDEN = { password: '••••••••' }

export function shorten(text: string): string {
  return SHORTENED.reduce((short, [pattern, replacement]) => short.replace(pattern, replacement), text)
}

export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** Breaks a text into lines. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/**
 * A value as lines that fit: a text as it is; anything else as JSON with air in it, on one line if there is
 * room, else its members side by side, and one that is too wide for that laid out by itself in the same way.
 */
export function layOut(value: unknown, width: number): string[] {
  if (typeof value === 'string') return value.split('\n').map((text) => cut(shorten(text), width))
  return layOutJson(value, width)
}

function layOutJson(value: unknown, width: number): string[] {
  const flat = shorten(inline(value))
  if (flat.length <= width || value === null || typeof value !== 'object') return [cut(flat, width)]
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const lines: string[] = []
  for (const { name, member } of membersOf(value)) {
    const block = layOutJson(member, width - name.length - 4).map(
      (text, index) => (index === 0 ? name : ' '.repeat(name.length)) + text,
    )
    const last = lines.at(-1)
    if (last === undefined) {
      lines.push(...block)
    } else if (block.length === 1 && last.length + String(block[0]).length + 6 <= width) {
      lines[lines.length - 1] = `${last}, ${block[0]}`
    } else {
      lines[lines.length - 1] = `${last},`
      lines.push(...block)
    }
  }
  const end = lines.length - 1
  return lines.map((text, index) => `${index === 0 ? open : ' '} ${text}${index === end ? ` ${close}` : ''}`)
}

function inline(value: unknown): string {
  if (value === MORE) return MORE
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? String(value)
  const members = membersOf(value).map(({ name, member }) => name + inline(member))
  if (Array.isArray(value)) return `[${members.join(', ')}]`
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function membersOf(value: object): { name: string; member: unknown }[] {
  if (Array.isArray(value)) return value.map((member: unknown) => ({ name: '', member }))
  return Object.entries(value).map(([key, member]) => {
    if (key === MORE) return { name: '', member: MORE }
    return { name: `${JSON.stringify(key)}: `, member: key in HIDDEN ? HIDDEN.password : member }
  })
}
