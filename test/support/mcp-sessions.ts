import { randomUUID } from 'node:crypto'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

/** How an MCP server keeps sessions, as the protocols before 2026 have it. */
export interface Sessions {
  /** Sessions that were begun. */
  begun: number
  /** Those that are open. */
  open: Map<string, WebStandardStreamableHTTPServerTransport>
  /** What a message of no session is answered with: 404, as the protocol has it, or 400, as many do. */
  refusal: 404 | 400
  /** Forgets all of them, as a restart does. */
  forget(): void
  fetch(request: Request): Promise<Response>
}

export function createSessions(factory: () => Server): Sessions {
  const sessions: Sessions = {
    begun: 0,
    open: new Map(),
    refusal: 404,
    forget: () => sessions.open.clear(),
    async fetch(request) {
      const id = request.headers.get('mcp-session-id')
      const isBeginning = id === null && (await request.clone().text()).includes('"initialize"')
      const transport = isBeginning ? await begin() : sessions.open.get(id ?? '')
      if (transport !== undefined) return transport.handleRequest(request)
      const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' }
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status: sessions.refusal })
    },
  }

  async function begin() {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.open.set(id, transport),
      onsessionclosed: (id) => void sessions.open.delete(id),
    })
    sessions.begun += 1
    await factory().connect(transport)
    return transport
  }

  return sessions
}
