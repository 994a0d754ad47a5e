import { isDeeper } from '../../http/schema/validation.ts'

/** Arguments that are deeper are none: what writes or reads them by recursion would run out of stack. */
const DEEPEST = 64

/**
 * The arguments of a call as an object; undefined where they are none, or lead programs astray. An empty text is none: it may
 * be the beginning of what was to be said.
 */
export function readArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, (name, inner) => {
      if (name === '__proto__') throw new SyntaxError('a reserved member')
      return inner
    })
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !isDeeper(value, DEEPEST) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
