import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import type { Id } from '../../../core/id.ts'
import { isDeeper } from '../../../http/schema/validation.ts'
import { ServerFailure } from './failures.ts'

/** A tool as its server describes it. */
export interface Definition {
  name: string
  description: string
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>
  /** What the server says of it, which counts once an administrator has accepted it. */
  isReadOnly: boolean
  isIdempotent: boolean
  /** SHA-256 of all that: another text, schema or promise is another definition. */
  digest: string
}

/** Tools of one server that are kept. */
const MOST_TOOLS = 256
const DEEPEST_SCHEMA = 32
const LONGEST_DESCRIPTION = 16 * 1024
const TOOL_NAME = /^[\w./-]{1,128}$/

/** What is not seen, and some models read: control characters, and the tags and marks of Unicode. */
const UNSEEN = /[\u{E0000}-\u{E007F}\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]|(?![\n\t])\p{Cc}/gu

/**
 * What a server lists, as it is kept, in the order of its names.
 * @throws ServerFailure when it lists more than is kept, or something twice, or what cannot be called
 */
export function toDefinitions(serverId: Id<'mcpServer'>, listed: Tool[]): Definition[] {
  const broken = new ServerFailure('bad_protocol', { mayHaveActed: false })
  if (listed.length > MOST_TOOLS) throw new ServerFailure('too_many_tools', { mayHaveActed: false })
  if (new Set(listed.map(({ name }) => name)).size < listed.length) throw broken
  return listed
    .map(({ name, description = '', inputSchema, annotations = {} }) => {
      if (!TOOL_NAME.test(name) || isDeeper(inputSchema, DEEPEST_SCHEMA)) throw broken
      const isReadOnly = annotations.readOnlyHint === true
      const isIdempotent = annotations.idempotentHint === true
      const said = { serverId, name, description, inputSchema, isReadOnly, isIdempotent }
      return {
        name,
        description: description.toWellFormed().replace(UNSEEN, '').slice(0, LONGEST_DESCRIPTION),
        inputSchema: inputSchema as Record<string, unknown>,
        isReadOnly,
        isIdempotent,
        digest: digestOf(said),
      }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** One digest for all of a server's tools: what an administrator has seen, in one word. */
export function digestOfAll(definitions: Definition[]): string {
  return digestOf(definitions.map(({ digest }) => digest))
}

/** Tools that no administrator has accepted as they are. */
export function pendingOf(listed: Definition[], accepted: Definition[]): Definition[] {
  const known = new Set(accepted.map(({ digest }) => digest))
  return listed.filter(({ digest }) => !known.has(digest))
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

/** JSON with the members in one order: a server that writes them in another has changed nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
