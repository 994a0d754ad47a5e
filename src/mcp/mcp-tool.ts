import type { PlanBook } from '../core/plans.ts'
import { admit, type Principal } from '../http/principal.ts'
import { mapSchema } from '../http/schema/formats.ts'
import { NAMED, publicSchema } from '../http/schema/public-schema.ts'
import type { Members, Operation } from './operations.ts'
import { TOOLS, type ToolRow } from './tools.ts'

/** A tool and its route. */
export interface McpTool {
  tool: ToolRow
  operation: Operation
  /** The entry in `tools/list`. */
  shown: {
    name: string
    title: string
    description: string
    inputSchema: { type: 'object'; [member: string]: unknown }
    annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean }
  }
}

/** The argument that becomes the header `Idempotency-Key`. */
export const KEY_ARGUMENT = 'idempotencyKey'

const KEY_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Of calls with the same key and arguments within a day, only the first has an effect.',
}

/** Standard formats of JSON Schema; custom ones have a `pattern` beside them. */
const KNOWN_FORMATS = new Set(['email', 'date-time', 'uri'])

/**
 * The tools by name.
 * @throws Error where a tool names an unknown route, or two of its arguments share a name
 */
export function createMcpTools(operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, McpTool> {
  return new Map(
    TOOLS.map((tool) => {
      const operation = operations.get(tool.operationId)
      if (operation === undefined) throw new Error(`there is no operation ${tool.operationId}`)
      return [tool.name, { tool, operation, shown: show(tool, operation) }]
    }),
  )
}

/** Whether a caller sees a tool and may call it: its permissions and plan allow the tool's route. */
export function isAvailable({ operation }: McpTool, principal: Principal, plans: PlanBook): boolean {
  try {
    admit(principal, operation.access, plans)
    return true
  } catch {
    return false
  }
}

function show(tool: ToolRow, operation: Operation): McpTool['shown'] {
  const { params, query, body } = operation
  const parts: Members[] = [params, query, body]
  const entries = parts.flatMap(({ properties }) => Object.entries(properties ?? {}))
  const names = entries.map(([name]) => name)
  if (new Set([...names, KEY_ARGUMENT]).size !== names.length + 1)
    throw new Error(`${tool.name} has two arguments of one name`)
  const isAsked = (name: string) => name !== tool.ofOrganization
  const properties = Object.fromEntries(entries.filter(([name]) => isAsked(name)))
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: {
        ...(plain(publicSchema(properties)) as object),
        ...(tool.takesKey ? { [KEY_ARGUMENT]: KEY_SCHEMA } : {}),
      },
      required: parts.flatMap(({ required }) => required ?? []).filter(isAsked),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: tool.isReadOnly, destructiveHint: false, openWorldHint: !tool.isReadOnly },
  }
}

/** Removes keywords that only our own document understands. */
function plain(schema: unknown): unknown {
  return mapSchema(schema, ({ [NAMED]: _, format, ...rest }) => ({
    ...rest,
    ...(typeof format !== 'string' || KNOWN_FORMATS.has(format)
      ? format === undefined
        ? {}
        : { format }
      : {}),
  }))
}
