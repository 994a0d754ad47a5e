import { turn } from '../../core/clock.ts'
import { fingerprint } from '../../core/secret.ts'
import { inexactNumbers } from './inexact-numbers.ts'

/** Characters that are hashed before other requests get a turn. */
const PIECE = 256 * 1024

/**
 * A fingerprint that is equal for bodies with the same value: the order of members and the spelling of numbers and
 * texts do not count.
 * @param text the source text of a body that is passed on as written; numbers that JSON.parse would make equal then
 * count as different
 */
export async function bodyFingerprint(body: unknown, text = ''): Promise<string> {
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
  return fingerprint([...prints, fingerprint(piece), ...(await inexactNumbers(text))].join())
}

/** Deeper than any body that a route accepts: the fingerprint of a refused body does not matter. */
const DEEPEST = 200

/** JSON with the members of objects in the order of their names. */
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
