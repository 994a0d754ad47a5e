import { nearestName } from '../core/text/nearest-names.ts'
import { VARIABLES } from './variables.ts'

/** An unknown variable whose name resembles a setting. */
export interface Misspelt {
  name: string
  nearest: string
}

/**
 * Variables that nothing reads, and that were perhaps meant to be settings.
 * @param alsoRead names that a file makes known
 */
export function findMisspelt(env: Record<string, string | undefined>, alsoRead: Set<string>): Misspelt[] {
  const known = Object.keys(VARIABLES)
  return Object.keys(env).flatMap((name) => {
    if (!/^[A-Z][A-Z0-9_]*$/.test(name) || known.includes(name) || alsoRead.has(name)) return []
    const meant = nearestName(name, known)
    return meant === undefined ? [] : [{ name, nearest: meant }]
  })
}
