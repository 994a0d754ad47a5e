import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { digestOfAll, pendingOf, type ToolDefinition } from './client/tool-definitions.ts'

export type ServerRow = Tables['mcp_server']

const Shown = {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  headerNames: Type.Array(Type.String(), { description: 'Whose values are never shown.' }),
  connectionId: Nullable(Type.String()),
  required: Type.Boolean(),
  status: Type.String({
    enum: ['new', 'ready', 'changed'],
    description:
      'Whether its tools were never listed, are all accepted, or include tools that are not accepted.',
  }),
  toolCount: Type.Integer(),
  toolsDigest: Nullable(
    Type.String({ description: 'The digest of the currently listed tools, which `accept` requires.' }),
  ),
  lastFailure: Nullable(Type.Object({ reason: Type.String() })),
  checkedAt: Nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
}

const ToolSchema = Type.Object({
  name: Type.String(),
  description: Type.String(),
  inputSchema: Type.Object({}, { additionalProperties: true }),
  readOnly: Type.Boolean(),
  idempotent: Type.Boolean(),
  status: Type.String({
    enum: ['on', 'changed', 'new', 'gone'],
    description:
      'Only tools that are `on` can be called. `gone`: it was accepted, and is not listed any more.',
  }),
  digest: Type.String(),
})

/** A server in a list. */
export const ServerSchema = Type.Object(Shown)
/** A server with its tools. */
export const ServerWithTools = Type.Object({ ...Shown, tools: Type.Array(ToolSchema) })

/** The listed tools of a server, and the accepted ones. */
export function toolsOf(row: Pick<ServerRow, 'listed' | 'accepted'>): {
  listed: ToolDefinition[]
  accepted: ToolDefinition[]
} {
  const read = (text: string | null) => (text === null ? [] : (JSON.parse(text) as ToolDefinition[]))
  return { listed: read(row.listed), accepted: read(row.accepted) }
}

export function toWire(row: ServerRow): Static<typeof ServerSchema> {
  const { listed, accepted } = toolsOf(row)
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    headerNames: JSON.parse(row.header_names) as string[],
    connectionId: row.connection_id,
    required: row.required === 1,
    status: row.listed === null ? 'new' : pendingOf(listed, accepted).length === 0 ? 'ready' : 'changed',
    toolCount: listed.length,
    toolsDigest: row.listed === null ? null : digestOfAll(listed),
    lastFailure: row.failure === null ? null : { reason: row.failure },
    checkedAt: toIsoOrNull(row.checked_at),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

export function toWireWithTools(row: ServerRow): Static<typeof ServerWithTools> {
  const { listed, accepted } = toolsOf(row)
  const before = new Map(accepted.map((tool) => [tool.name, tool]))
  const isListed = new Set(listed.map(({ name }) => name))
  const statusOf = ({ name, digest }: ToolDefinition) => {
    const known = before.get(name)
    return known === undefined ? 'new' : known.digest === digest ? 'on' : 'changed'
  }
  const show = (tool: ToolDefinition, status: string): Static<typeof ToolSchema> => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    readOnly: tool.isReadOnly,
    idempotent: tool.isIdempotent,
    status,
    digest: tool.digest,
  })
  const gone = accepted.filter(({ name }) => !isListed.has(name))
  return {
    ...toWire(row),
    tools: [...listed.map((tool) => show(tool, statusOf(tool))), ...gone.map((tool) => show(tool, 'gone'))],
  }
}
