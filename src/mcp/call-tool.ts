import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { memberTexts } from '../http/body/json-text.ts'
import { errorBody } from '../http/error-response.ts'
import { runInMcp } from '../http/mcp-context.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { KEY_ARGUMENT, type McpTool } from './mcp-tool.ts'

/** The result of a call in the form of MCP. Errors of the catalogue are results that the model can read. */
interface ToolResult {
  content: [{ type: 'text'; text: string }]
  structuredContent: Record<string, unknown>
  isError: boolean
  [member: string]: unknown
}

/** Headers of the caller that are passed on to the tool's route. */
const PASSED_ON = [
  ...['authorization', 'postern-organization', 'host', 'user-agent'],
  ...['x-forwarded-for', 'x-forwarded-proto'],
] as const

/** Path segments that would lead to another route. */
const DOTS = /^\.{0,2}$/

/**
 * Calls the route of a tool as a request of its own, so that permissions, limits and errors are those of the route.
 * @param text the arguments as written, a JSON object; numbers arrive without loss of digits
 */
export async function callTool(
  server: Server,
  request: FastifyRequest,
  { tool, operation }: McpTool,
  { baseUrl, text }: { baseUrl: string; text: string },
): Promise<ToolResult> {
  const given = memberTexts(text)
  const key = tool.takesKey ? given.get(KEY_ARGUMENT) : undefined
  if (key !== undefined) given.delete(KEY_ARGUMENT)
  if (tool.ofOrganization !== undefined && !given.has(tool.ofOrganization))
    given.set(tool.ofOrganization, JSON.stringify(callerOf(request).organizationId))
  try {
    // Any other value would become a key in its JSON spelling.
    if (key !== undefined && !key.startsWith('"'))
      throw new ApiError('TYPE_MISMATCH', { field: KEY_ARGUMENT })
    const { method, query, body } = operation
    const path = fillPath(operation, given)
    // The route refuses unknown arguments itself.
    const asked = [...given.keys()].filter(
      (name) => method === 'GET' || Object.hasOwn(query.properties ?? {}, name),
    )
    const search = new URLSearchParams(asked.map((name) => [name, toText(given.get(name))]))
    for (const name of asked) given.delete(name)
    const hasBody = body.properties !== undefined || given.size > 0
    const answer = await runInMcp(async () =>
      server.inject({
        method,
        url: search.size === 0 ? path : `${path}?${search}`,
        remoteAddress: request.raw.socket.remoteAddress ?? '0.0.0.0',
        headers: {
          ...Object.fromEntries(PASSED_ON.flatMap((name) => headerOf(request, name))),
          'x-request-id': request.id,
          ...(key === undefined ? {} : { 'idempotency-key': toText(key) }),
          ...(tool.waitSeconds === undefined ? {} : { prefer: `wait=${tool.waitSeconds}` }),
          ...(hasBody ? { 'content-type': 'application/json' } : {}),
        },
        ...(hasBody ? { payload: objectText(given) } : {}),
      }),
    )
    return toResult(answer.payload, answer.statusCode >= 400)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return toResult(JSON.stringify({ error: errorBody(error, request.id, baseUrl) }), true)
  }
}

function headerOf({ headers }: FastifyRequest, name: (typeof PASSED_ON)[number]): [string, string][] {
  const value = headers[name]
  return value === undefined ? [] : [[name, String(value)]]
}

/** @throws ApiError MISSING_REQUIRED_FIELD, INVALID_UUID */
function fillPath({ url }: McpTool['operation'], given: Map<string, string>): string {
  return url.replace(/:(\w+)/g, (_, name: string) => {
    const text = given.get(name)
    if (text === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: name })
    given.delete(name)
    const value = toText(text)
    if (DOTS.test(value)) throw new ApiError('INVALID_UUID', { field: name, value })
    return encodeURIComponent(value.toWellFormed())
  })
}

/** The text of a value in a path, a query or a header. */
function toText(json: string | undefined): string {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : (json ?? '')
}

function objectText(members: Map<string, string>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

function toResult(payload: string, isError: boolean): ToolResult {
  const text = payload === '' ? '{}' : payload
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
    isError,
  }
}
