import type { Server as McpServer } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { SIZE } from '../core/limits.ts'
import { VERSION } from '../core/version.ts'
import { memberTexts, textOf } from '../http/body/json-text.ts'
import { Type } from '../http/schema/type.ts'
import { strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { callTool } from './call-tool.ts'
import type { McpDeps } from './deps.ts'
import { isAvailable, type McpTool } from './mcp-tool.ts'
import { inexactId, withOriginalId } from './message-id.ts'
import { normalizeRpcError } from './rpc-error.ts'

/** Largest message: the largest body of a tool's route, and the envelope. */
const LARGEST_MESSAGE = SIZE.eventBody + 16 * 1024

/** One message of JSON-RPC 2.0; lists of messages are refused, as in the protocol since 2025-06-18. */
const Message = strict({
  jsonrpc: Type.String({ enum: ['2.0'] }),
  id: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Integer()])),
  method: Type.String({ minLength: 1, maxLength: 256, examples: ['tools/list'] }),
  params: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

const INSTRUCTIONS =
  'The API of one organization of Postern. A result that is an error has `error.code` of the catalogue and `error.details`; `RATE_LIMITED` says in `retryAfterSeconds` when to try once more. Give a call that makes something an `idempotencyKey`, so that it can be repeated when its answer was lost.'

/** Loaded with the first message: a server without MCP clients does not need its memory. */
type Handle = (request: Request, options: { parsedBody: unknown; authInfo: AuthInfo }) => Promise<Response>

/** The request of a message, in the member by which the protocol's package passes credentials on. */
interface AuthInfo {
  token: string
  clientId: string
  scopes: string[]
  extra: { request: FastifyRequest }
}

/**
 * Serves `/mcp`: the organization's own API as tools, by the Model Context Protocol (Streamable HTTP without sessions).
 */
export function mcpRoutes(server: Server, deps: McpDeps, offers: () => ReadonlyMap<string, McpTool>): void {
  let handle: Promise<Handle> | undefined
  const serve = () => {
    handle ??= createHandle(server, deps, offers())
    return handle
  }

  server.post(
    '/mcp',
    {
      config: { access: 'caller', keepsText: true },
      bodyLimit: LARGEST_MESSAGE,
      schema: {
        tags: ['MCP'],
        operationId: 'callMcp',
        summary: 'Speak the Model Context Protocol',
        description:
          'One message of JSON-RPC, by the protocol of 2026-07-28 or an older one (Streamable HTTP without sessions). A tool call requires the rights of its route, and counts as a separate request.',
        body: Message,
        response: {
          200: Type.Object({}, { additionalProperties: true }),
          202: Type.Null({ description: 'A notification was accepted; it has no answer.' }),
        },
      },
    },
    async (request, reply) => {
      refuseForeignOrigin(request, deps.allowedOrigins)
      const id = inexactId(request.body, textOf(request))
      const answer = await (await serve())(toWebRequest(request, deps.baseUrl), {
        // The package passes an id that is a text through unchanged.
        parsedBody: id === undefined ? request.body : { ...request.body, id },
        authInfo: { token: '', clientId: '', scopes: [], extra: { request } },
      })
      void reply.code(answer.status as 200)
      for (const [name, value] of answer.headers) void reply.header(name, value)
      const isFramed = answer.headers.get('content-type') === 'text/event-stream'
      if (isFramed) void reply.header('content-type', 'application/json')
      const text = await answer.text()
      // An answer without a body has no content type.
      if (text === '') return reply.removeHeader('content-type').send(undefined as never)
      const body = normalizeRpcError(isFramed ? unframe(text) : text)
      return reply.serializer(() => (id === undefined ? body : withOriginalId(id, body))).send({})
    },
  )

  // A client of an older protocol requests a stream of messages, or ends its session. The refusal has a status that it
  // knows.
  const refused = { config: { access: 'caller' as const }, schema: { hide: true } }
  server.get('/mcp', refused, refuse)
  server.delete('/mcp', refused, refuse)

  async function refuse(_request: FastifyRequest, reply: FastifyReply) {
    const error = { code: -32_000, message: 'Method not allowed.' }
    return reply
      .code(405)
      .header('allow', 'POST')
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send({ jsonrpc: '2.0', error, id: null })
  }
}

/**
 * Checks the `Origin`, which the protocol requires against DNS rebinding. This is stricter than on other routes with a
 * bearer token, because MCP clients on people's machines hold the token, and web pages can reach those.
 * @throws ApiError FORBIDDEN
 */
function refuseForeignOrigin({ headers: { origin } }: FastifyRequest, allowed: string[]): void {
  if (origin !== undefined && !allowed.includes(origin))
    throw new ApiError('FORBIDDEN', { reason: 'cross_site' })
}

/** The request without credentials and body, which are read already. */
function toWebRequest({ headers }: FastifyRequest, baseUrl: string): Request {
  const own = Object.entries(headers).filter(([name]) => /^(content-type|mcp-.*)$/.test(name))
  return new Request(new URL('/mcp', baseUrl), {
    method: 'POST',
    headers: [
      ...own.map(([name, value]): [string, string] => [name, String(value)]),
      // Older protocols require clients to accept both types; the answer always has the first.
      ['accept', 'application/json, text/event-stream'],
    ],
  })
}

/** Extracts the one message of an event stream: each message has one answer, so nothing is streamed. */
function unframe(stream: string): string {
  const data = stream.split('\n').filter((line) => line.startsWith('data: {'))
  return data.at(-1)?.slice('data: '.length) ?? ''
}

async function createHandle(
  server: Server,
  deps: McpDeps,
  offers: ReadonlyMap<string, McpTool>,
): Promise<Handle> {
  const {
    createMcpHandler,
    Server: ProtocolServer,
    ProtocolError,
  } = await import('@modelcontextprotocol/server')

  function createProtocolServer(request: FastifyRequest): McpServer {
    const protocol = new ProtocolServer(
      { name: 'postern', title: 'Postern', version: VERSION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    )
    const isMine = (offer: McpTool) => isAvailable(offer, request.principal, deps.plans)
    protocol.setRequestHandler('tools/list', () => ({
      tools: [...offers.values()].filter(isMine).map(({ shown }) => shown),
    }))
    protocol.setRequestHandler('tools/call', async ({ params: { name } }) => {
      const offer = offers.get(name)
      // -32602 (JSON-RPC: invalid params). A tool that the caller may not use explains its own refusal.
      if (offer === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${name}`)
      const text = memberTexts(memberTexts(textOf(request)).get('params') ?? '{}').get('arguments') ?? '{}'
      return callTool(server, request, offer, { baseUrl: deps.baseUrl, text }).catch((error: unknown) => {
        request.log.error({ err: error, tool: name }, 'unexpected error')
        throw new ProtocolError(-32_603, 'Internal error')
      })
    })
    return protocol
  }

  const handler = createMcpHandler(
    ({ authInfo }) => createProtocolServer((authInfo as unknown as AuthInfo).extra.request),
    {
      // Lists never change during a connection, so no stream for changes is kept open.
      maxSubscriptions: 0,
      onerror: (error) => deps.log.debug({ err: error }, 'MCP message refused'),
    },
  )
  return (request, options) => handler.fetch(request, options)
}
