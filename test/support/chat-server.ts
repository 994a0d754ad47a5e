import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { close } from './http-server.ts'

/** What a model was asked. */
export interface Asked {
  authorization: string | undefined
  messages: { role: string; content: string }[]
  tools?: { function: { name: string } }[]
  max_tokens?: number
  [member: string]: unknown
}

/** An OpenAI-compatible server whose answers a test chooses. */
export interface ChatServer {
  /** A `MODELS_FILE` with the model `stub` of this server, and the variable that its key is in. */
  env: Record<string, string>
  asked: Asked[]
  /** How many connections were cut by who asked. */
  cut(): number
  /** Answers a request; a short text unless a test sets its own. */
  answer: (asked: Asked, response: ServerResponse) => void
  stop(): Promise<void>
}

/** One event of a stream. */
export const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const delta = (one: object, more: object = {}) => event({ choices: [{ index: 0, delta: one, ...more }] })
export const USAGE = { prompt_tokens: 1_000, completion_tokens: 500 }

export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Says a text and ends, for the reason that is given. */
export function say(response: ServerResponse, text: string, finish = 'stop'): void {
  begin(response)
  for (const word of text.split(/(?<= )/)) response.write(delta({ content: word }))
  response.write(delta({}, { finish_reason: finish }))
  response.end(`${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
}

/** Asks for calls of tools; their arguments come in pieces. */
export function ask(
  response: ServerResponse,
  calls: [name: string, text: string][],
  finish = 'tool_calls',
): void {
  begin(response)
  for (const [index, [name, text]] of calls.entries()) {
    response.write(delta({ tool_calls: [{ index, id: `call-${index}`, function: { name, arguments: '' } }] }))
    for (const part of text.match(/.{1,7}/gs) ?? [])
      response.write(delta({ tool_calls: [{ index, function: { arguments: part } }] }))
  }
  response.write(delta({}, { finish_reason: finish }))
  response.end(event({ choices: [], usage: USAGE }))
}

/** @param more members of the model `stub` in the `MODELS_FILE`, and further models for it */
export async function startChatServer(
  more: { stub?: object; others?: Record<string, object> } = {},
): Promise<ChatServer> {
  let cut = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('close', () => {
      if (!response.writableFinished) cut += 1
    })
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      const asked = { ...body, authorization: request.headers.authorization }
      stub.asked.push(asked)
      stub.answer(asked, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const file = join(tmpdir(), `postern-models-${process.pid}-${port}.json`)
  const model = {
    ...{ url: `http://127.0.0.1:${port}/v1`, keyVariable: 'STUB_MODEL_KEY' },
    ...{ inputPer1000: 2, outputPer1000: 4, contextTokens: 1_000_000 },
  }
  const others = Object.entries(more.others ?? {}).map(([name, one]) => [name, { ...model, ...one }])
  const models = { stub: { ...model, ...more.stub }, ...Object.fromEntries(others) }
  writeFileSync(file, JSON.stringify({ models }))
  const stub: ChatServer = {
    env: { MODELS_FILE: file, STUB_MODEL_KEY: 'a-key' },
    asked: [],
    cut: () => cut,
    answer: (_asked, response) => say(response, 'It costs forty crowns.'),
    async stop() {
      rmSync(file, { force: true })
      await close(server)
    },
  }
  return stub
}
