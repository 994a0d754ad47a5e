import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import type { Id } from '../../../core/id.ts'
import { isDeeper } from '../../../http/schema/validation.ts'
import { ServerFailure } from './failures.ts'

/** A tool as described by its server. */
export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>
  /** The server's claim, which counts once an administrator has accepted the tool. */
  isReadOnly: boolean
  isIdempotent: boolean
  /** SHA-256 of all members above: any other text, schema or claim is another definition. */
  digest: string
}

/** Most tools of one server. */
const MOST_TOOLS = 256
const DEEPEST_SCHEMA = 32
const LONGEST_DESCRIPTION = 16 * 1024
const TOOL_NAME = /^[\w./-]{1,128}$/

/** Invisible characters that some models read: control characters, and the tags and marks of Unicode. */
const INVISIBLE = /[\u{E0000}-\u{E007F}\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]|(?![\n\t])\p{Cc}/gu

/**
 * The tools of a listing in the stored form, by name.
 * @throws ServerFailure where the listing has too many tools, a tool twice, or a tool that cannot be called
 */
export function toToolDefinitions(serverId: Id<'mcpServer'>, listed: Tool[]): ToolDefinition[] {
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
        description: description.toWellFormed().replace(INVISIBLE, '').slice(0, LONGEST_DESCRIPTION),
        inputSchema: inputSchema as Record<string, unknown>,
        isReadOnly,
        isIdempotent,
        digest: digestOf(said),
      }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** One digest of all tools of a server, for comparison with what an administrator has seen. */
export function digestOfAll(definitions: ToolDefinition[]): string {
  return digestOf(definitions.map(({ digest }) => digest))
}

/** Tools that differ from their accepted definitions. */
export function pendingOf(listed: ToolDefinition[], accepted: ToolDefinition[]): ToolDefinition[] {
  const known = new Set(accepted.map(({ digest }) => digest))
  return listed.filter(({ digest }) => !known.has(digest))
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

/** JSON with members in one order, so that a server that only reorders members has changed nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
