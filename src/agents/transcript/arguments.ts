import { isDeeper } from '../../http/schema/validation.ts'

/** Deeper arguments are refused: recursive readers and writers would overflow their stack. */
const DEEPEST = 64

/**
 * Parses the arguments of a call as an object; undefined where they are none, or unsafe for programs. Empty text is
 * refused: it may be a truncated answer.
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
