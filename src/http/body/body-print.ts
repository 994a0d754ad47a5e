import { turn } from '../../core/clock.ts'
import { fingerprint } from '../../core/secret.ts'
import { lostDigits } from './lost-digits.ts'

/** Characters that are written in one go; others have their turn in between. */
const PIECE = 256 * 1024

/**
 * What two bodies have in common that say the same: the order of members does not matter, nor how a number or a text is
 * written.
 * @param text what the body was read from, where it is passed on as it was written: numbers that reading makes equal are
 * two there
 */
export async function printOf(body: unknown, text = ''): Promise<string> {
  const prints: string[] = []
  let piece = ''
  const isPlain = !isObject(body) || Array.isArray(body)
  const members: [string, unknown][] = isPlain ? [['', body]] : Object.entries(body).sort(byName)
  if (isPlain) piece = 'no object'
  for (const [name, member] of members) {
    piece += `\n${JSON.stringify(name)}${Array.isArray(member) ? '[' : ''}`
    for (const item of Array.isArray(member) ? member : [member]) {
      piece += `${canonical(item)},`
      if (piece.length < PIECE) continue
      prints.push(fingerprint(piece))
      piece = ''
      await turn()
    }
  }
  return fingerprint([...prints, fingerprint(piece), ...(await lostDigits(text))].join())
}

/** Deeper than anything that is taken: what is refused anyway need not be told apart. */
const DEEPEST = 200

/** JSON in which members stand in the order of their names. */
function canonical(value: unknown, levels = DEEPEST): string {
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  if (levels === 0) return 'deep'
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, levels - 1)).join()}]`
  const members = Object.entries(value).sort(byName)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, levels - 1)}`).join()}}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
