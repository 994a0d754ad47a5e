import type { EmbeddingsConfig } from '../config/grouped-variables.ts'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import type { Agent } from '../net/agent.ts'
import { type CallAnswer, CallError, call, headerOf, type StreamLimits } from '../net/call.ts'
import { readRetryAfter } from '../net/retry-after.ts'

/** Texts of one call. */
export const BATCH = 32
/** Dimensions that a model may have. */
const MOST_DIMENSIONS = 8_192
/** The largest answer that is read, in bytes. */
const LARGEST_ANSWER = 8 * 1024 * 1024

/** Why there are no vectors. */
export interface NoVectors {
  failure: string
  /** Whether another attempt may succeed. */
  isPassing: boolean
  /** The earliest moment of another attempt, where the endpoint has sent `Retry-After`. */
  notBefore?: Millis | undefined
}

/** An endpoint that makes vectors of texts, with the API of OpenAI's `POST /embeddings`. */
export interface Embeddings {
  model: string
  /** @returns a vector of unit length for each text, in order. It does not throw for errors of the endpoint. */
  embed(
    texts: string[],
    limits: Pick<StreamLimits, 'owner' | 'signal'> & { deadline: Millis },
  ): Promise<Float32Array[] | NoVectors>
}

/** The deadline of a call during indexing. */
export const INDEX_DEADLINE: Millis = 30 * SECOND

interface EmbeddingsParts {
  clock: Clock
  agent: Agent
}

export function createEmbeddings(
  { url, key, model }: EmbeddingsConfig,
  { clock, agent }: EmbeddingsParts,
): Embeddings {
  const address = new URL(`${url}/embeddings`)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  return {
    model,
    async embed(input, limits) {
      const body = JSON.stringify({ model, input, encoding_format: 'float' })
      try {
        const request = { method: 'POST', headers, body }
        const answer = await call(address, request, {
          ...{ clock, agent, largest: LARGEST_ANSWER },
          ...limits,
        })
        return readAnswer(answer, input.length, clock.now())
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        return { failure: `embeddings_${error.reason}`, isPassing: error.reason !== 'too_large' }
      }
    },
  }
}

/** Statuses below 500 after which another attempt may succeed. */
const PASSING = [408, 425, 429]

function readAnswer(answer: CallAnswer, count: number, now: Millis): Float32Array[] | NoVectors {
  const { status, body } = answer
  if (status !== 200) {
    const notBefore = readRetryAfter(headerOf(answer, 'retry-after'), now)
    return {
      failure: `embeddings_status_${status}`,
      isPassing: status >= 500 || PASSING.includes(status),
      notBefore,
    }
  }
  return readVectors(body.toString(), count) ?? { failure: 'embeddings_malformed', isPassing: false }
}

/** @returns undefined unless the answer has one vector of numbers for each text, all of the same length */
function readVectors(text: string, count: number): Float32Array[] | undefined {
  const data = (parse(text) as { data?: unknown } | undefined)?.data
  if (!Array.isArray(data) || data.length !== count) return undefined
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [place, one] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const index = one?.index ?? place
    if (!isPlace(index, count)) return undefined
    vectors[index] = unitOf(one?.embedding)
  }
  const length = vectors[0]?.length ?? 0
  return vectors.every((vector) => vector?.length === length) ? (vectors as Float32Array[]) : undefined
}

function isPlace(index: unknown, count: number): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < count
}

/** Normalizes a vector to unit length; undefined where that is impossible. */
function unitOf(numbers: unknown): Float32Array | undefined {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MOST_DIMENSIONS) return undefined
  if (!numbers.every((one) => typeof one === 'number')) return undefined
  const norm = Math.hypot(...(numbers as number[]))
  const isDirection = Number.isFinite(norm) && norm > 0
  return isDirection ? Float32Array.from(numbers as number[], (one) => one / norm) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
