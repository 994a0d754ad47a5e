import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { termsOf } from '#src/core/text/terms.ts'
import { freePort } from './free-port.ts'
import { close, json } from './http-server.ts'

export const MODEL = 'stub-embed-1'
const DIMENSIONS = 64

/** A request for vectors, as it came. */
export interface Asked {
  model: string
  input: string[]
  authorization: string | undefined
}

/** An OpenAI-compatible endpoint whose answers a test chooses. */
export interface EmbeddingsStub {
  env: Record<string, string>
  asked: Asked[]
  /** Failures for the next calls, in order; later calls succeed. */
  next: ((input: string[]) => { status?: number; headers?: Record<string, string>; body: unknown })[]
  /** Each call is answered so much later. */
  delay: number
  /** Calls are answered once it resolves. */
  held: Promise<unknown> | undefined
  /** What vector a text has. */
  vectorOf: (text: string) => number[]
  stop(): Promise<void>
}

export async function startEmbeddings(): Promise<EmbeddingsStub> {
  const port = await freePort()
  const asked: Asked[] = []
  const stub: EmbeddingsStub = {
    env: {
      EMBEDDINGS_URL: `http://127.0.0.1:${port}/v1`,
      EMBEDDINGS_MODEL: MODEL,
      EMBEDDINGS_KEY: 'a-key-of-the-operator',
    },
    asked,
    next: [],
    delay: 0,
    held: undefined,
    vectorOf,
    stop: () => close(server),
  }
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { model, input } = JSON.parse(Buffer.concat(parts).toString())
    asked.push({ model, input, authorization: request.headers.authorization })
    if (stub.delay > 0) await sleep(stub.delay)
    await stub.held
    const special = stub.next.shift()?.(input)
    for (const [name, value] of Object.entries(special?.headers ?? {})) response.setHeader(name, value)
    json(response, special?.body ?? answerTo(input, stub.vectorOf), special?.status)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return stub
}

export function answerTo(input: string[], of = vectorOf) {
  return {
    object: 'list',
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: of(text) })),
  }
}

/** Words that mean the same to the stub. */
const SAME = new Map([
  ['automobile', 'car'],
  ['vehicle', 'car'],
  ['physician', 'doctor'],
  ['purchase', 'buy'],
  ['refund', 'return'],
])

/** A text's words, each thrown onto two of the dimensions: texts that share words, or what means the same, are near. */
export function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.001)
  for (const term of termsOf(text)) {
    const word = SAME.get(term) ?? term
    let hash = 2_166_136_261
    for (const sign of word) hash = Math.imul(hash ^ sign.charCodeAt(0), 16_777_619) >>> 0
    for (const place of [hash % DIMENSIONS, (hash >>> 12) % DIMENSIONS])
      vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}
