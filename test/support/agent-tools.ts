import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { AgentCalls } from './agents.ts'
import { ask, type ChatServer, say, startChatServer } from './chat-server.ts'
import { type StubServer, startMcpServer } from './mcp-server.ts'

/** A model and an MCP server over HTTP that a test controls. */
export interface AgentTools {
  chat: ChatServer
  mcp: StubServer
  /** What a Postern is started with to reach both. */
  env: Record<string, string>
  /** Resets both: the tools are `find`, which only reads, and `act`; the model calls one of them, and then answers `Done.` */
  reset(): void
  /** Has the model ask for these calls at first, and then say `Done.` */
  asksFor(...calls: [name: string, text: string][]): void
  /** Calls of tools that have come, each by its step. */
  called(): { name: string; arguments: object; stepId: string }[]
  /** Results of calls that the model has got so far. */
  results(): string[]
  /** Registers the server and accepts its tools. @returns its id */
  register(calls: AgentCalls, name?: string): Promise<string>
  /** An agent of the model with the server's tools. @returns its id */
  agent(calls: AgentCalls, choice?: object, fields?: object): Promise<string>
}

export const FIND = { name: 'find', description: 'Finds.', annotations: { readOnlyHint: true } }
export const ACT = { name: 'act', description: 'Acts.' }

/** Both servers, ended after the file that asked for them. @param models those beside `stub` */
export async function useAgentTools(models: Parameters<typeof startChatServer>[0] = {}): Promise<AgentTools> {
  const [chat, mcp] = [await startChatServer(models), await startMcpServer()]
  after(async () => {
    await chat.stop()
    await mcp.stop()
  })
  const tools: AgentTools = {
    ...{ chat, mcp, env: { ...chat.env, MCP_ALLOWED_NETWORKS: '127.0.0.0/8' } },
    reset() {
      mcp.tools = [FIND, ACT]
      mcp.mischief.clear()
      mcp.received = []
      chat.asked.length = 0
      tools.asksFor(['crm__act', '{"id":7}'])
    },
    asksFor(...asked) {
      chat.answer = ({ messages }, response) =>
        messages.some(({ role }) => role === 'tool') ? say(response, 'Done.') : ask(response, asked)
    },
    called: () =>
      mcp.received
        .filter(({ method }) => method === 'tools/call')
        .map(({ params }) => ({
          name: String(params.name),
          arguments: params.arguments as object,
          stepId: String((params._meta as Record<string, unknown>)['io.postern/stepId']),
        })),
    results: () =>
      (chat.asked.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content),
    async register(calls, name = 'crm') {
      const { body } = await calls.post('/v1/mcp-servers', { name, url: mcp.url })
      const listed = await calls.post(`/v1/mcp-servers/${body.id}/refresh`)
      assert.equal(listed.status, 200, listed.text)
      return body.id
    },
    async agent(calls, choice = {}, fields = {}) {
      const serverId = await tools.register(calls)
      const chosen = mcp.tools.map(({ name }) => ({ serverId, name, approval: 'never', ...choice }))
      return calls.agent({ model: 'stub', tools: chosen, ...fields })
    },
  }
  tools.reset()
  return tools
}
