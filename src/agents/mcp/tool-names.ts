import { createHash } from 'node:crypto'

/** Longest name of a tool that models accept. */
const LONGEST = 64

/**
 * The name by which a model calls a tool: its server's name, and its own. It is unique among all servers and built-in
 * tools: the first part never contains `__`, and a shortened or rewritten name ends with a digest of the original.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`
  if (plain.length <= LONGEST && /^[A-Za-z0-9_-]+$/.test(plain)) return plain
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 8)
  return `${plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST - digest.length - 1)}_${digest}`
}
