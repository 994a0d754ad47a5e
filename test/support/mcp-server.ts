import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, legacyStatelessFallback, Server } from '@modelcontextprotocol/server'
import { close } from './http-server.ts'
import { createSessions, type Sessions } from './mcp-sessions.ts'

export interface StubTool {
  name: string
  description?: string
  inputSchema?: Record<string, unknown>
  annotations?: { readOnlyHint?: boolean; idempotentHint?: boolean }
  call?: (args: Record<string, unknown>) => object | Promise<object>
}

/** How the server answers instead of as it should. */
export type Mischief = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A real MCP server, built with the official package, that a test can make misbehave. */
export interface StubServer {
  url: string
  tools: StubTool[]
  /** Every message that came, with its headers. */
  received: { headers: IncomingMessage['headers']; method: string; params: Record<string, unknown> }[]
  /** How it answers messages of a method, `*` for all. */
  mischief: Map<string, Mischief>
  /** `sessions`: an old protocol, whose server keeps sessions. */
  protocol: 'both' | 'old' | 'sessions'
  sessions: Sessions
  /** Whose requests it answers; all others are 401. */
  isAllowed: (authorization: string | undefined) => boolean | Promise<boolean>
  stop(): Promise<void>
}

export async function startMcpServer(): Promise<StubServer> {
  function factory(): Server {
    const server = new Server({ name: 'stub', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({
      tools: stub.tools.map(({ call: _, inputSchema, ...tool }) => ({
        ...tool,
        inputSchema: { type: 'object' as const, ...inputSchema },
      })),
    }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = stub.tools.find(({ name }) => name === params.name)
      return ((await tool?.call?.(params.arguments ?? {})) ?? {
        content: [{ type: 'text' as const, text: JSON.stringify(params.arguments) }],
      }) as { content: [] }
    })
    return server
  }
  const both = createMcpHandler(factory)
  const old = legacyStatelessFallback(factory)
  const sessions = createSessions(factory)
  const answerBy = {
    both: (asked: Request) => both.fetch(asked),
    old: (asked: Request) => old(asked),
    sessions: (asked: Request) => sessions.fetch(asked),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const message = body === '' ? {} : JSON.parse(body)
    const { method = request.method ?? '', params = {} } = message
    stub.received.push({ headers: request.headers, method, params })
    if (!(await stub.isAllowed(request.headers.authorization))) return void response.writeHead(401).end()
    const mischief = stub.mischief.get(method) ?? stub.mischief.get('*')
    if (mischief !== undefined) return mischief(request, response, body)
    const asked = new Request(stub.url, {
      method: request.method ?? 'POST',
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      ...(body === '' ? {} : { body }),
    })
    const given = await answerBy[stub.protocol](asked)
    response.writeHead(given.status, Object.fromEntries(given.headers))
    response.end(Buffer.from(await given.arrayBuffer()))
  }

  const http = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening))
  const { port } = http.address() as AddressInfo
  const stub: StubServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    tools: [],
    received: [],
    mischief: new Map(),
    protocol: 'both',
    sessions,
    isAllowed: () => true,
    stop: () => close(http),
  }
  return stub
}
