import { createHash } from 'node:crypto'

/** What models take as the name of a tool. */
const LONGEST = 64

/**
 * What a model calls a tool by: its server's name, and its own. None of another server, nor one that is built in, has the
 * same: the first never has `__` in it, and what is cut or written otherwise ends with a digest of what it was.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`
  if (plain.length <= LONGEST && /^[A-Za-z0-9_-]+$/.test(plain)) return plain
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 8)
  return `${plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST - digest.length - 1)}_${digest}`
}
