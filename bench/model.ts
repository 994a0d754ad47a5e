import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pause, stopwatch, systemClock } from '#src/core/clock.ts'
import { type Asked, ask, say } from '../test/support/chat-server.ts'
import { startMcpServer } from '../test/support/mcp-server.ts'

/**
 * A model, and an MCP server with the tool `wait`, in a process of their own. The input of a run says in JSON
 * what they do. `GET /story/{name}` answers with the calls of a run, `GET /mcp` with the address of the other server.
 */
export interface Part {
  /** The name of its story. */
  name: string
  /** The model and the tool answer after this. */
  delayMs: number
  /** How often the model asks for a call before it answers. */
  calls: number
  /** The tool that it calls. */
  tool: string
}

/** What a run has asked for until now. */
export interface Story {
  /** Milliseconds that it waited for the model and for the tool, as they count them themselves. */
  modelMs: number
  toolMs: number
  /** When the model was asked. */
  askedAt: number[]
}

const stories = new Map<string, Story>()

function storyOf(name: string): Story {
  const known = stories.get(name) ?? { modelMs: 0, toolMs: 0, askedAt: [] }
  stories.set(name, known)
  return known
}

async function answer(asked: Asked, response: ServerResponse): Promise<void> {
  const input = asked.messages.find(({ role }) => role === 'user')?.content ?? ''
  const { name, delayMs, calls, tool } = JSON.parse(input) as Part
  const story = storyOf(name)
  story.askedAt.push(systemClock.now())
  const elapsed = stopwatch()
  if (delayMs > 0) await pause(delayMs)
  const done = asked.messages.filter(({ role }) => role === 'tool').length
  story.modelMs += elapsed()
  if (done < calls) ask(response, [[tool, JSON.stringify({ name, delayMs })]])
  else say(response, 'It costs forty crowns.')
}

const mcp = await startMcpServer()
mcp.tools = [
  {
    name: 'wait',
    async call({ name, delayMs }) {
      const elapsed = stopwatch()
      await pause(Number(delayMs))
      storyOf(String(name)).toolMs += elapsed()
      return { content: [{ type: 'text', text: 'waited' }] }
    },
  },
]

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, what = '', name = ''] = (request.url ?? '').split('/')
  if (what === 'readyz') return void response.end('ready')
  if (what === 'mcp') return void response.end(mcp.url)
  if (what === 'story') return void response.end(JSON.stringify(storyOf(name)))
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  await answer(JSON.parse(Buffer.concat(chunks).toString()) as Asked, response)
}

createServer((request, response) => {
  serve(request, response).catch(() => response.destroy())
}).listen(Number(process.argv[2]), '127.0.0.1')
