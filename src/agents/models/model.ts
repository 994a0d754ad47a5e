import type { ModelParameters } from '../../config/model-parameters.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** What a model charges, in credits: so many for 1,000 tokens, beside the price of a step. */
interface ModelPrices {
  inputPer1000: number
  outputPer1000: number
}

/** A call of a tool that a model asks for. */
export interface AskedCall {
  id: string
  name: string
  /** As the model wrote them: JSON, or what it takes for that. */
  arguments: string
}

/** What a model reads, in its order. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: AskedCall[] }
  | { role: 'tool'; callId: string; content: string }

/** What a model may call. */
export interface OfferedTool {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

export interface ModelRequest {
  organizationId: Id<'organization'>
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  messages: ModelMessage[]
  tools: OfferedTool[]
  maxOutputTokens: number
  /** The agent's own; they go before those of the model. */
  parameters: ModelParameters
}

export interface ModelCall {
  signal: AbortSignal
  /** When the run ends, whatever comes of the call. */
  deadline: Millis
  /** Called with each part of the answer as it comes. */
  onText: (text: string) => void
}

export interface Usage {
  inputTokens: number
  outputTokens: number
}

/** Codes with which a call of a model fails; they become the run's. */
export type ModelFailure = 'INTEGRATION_PROVIDER_ERROR' | 'INTEGRATION_RATE_LIMIT' | 'PROCESSING_FAILED'

/** Why an answer ended: the model has said all, or reached its length, or would not answer. */
export type FinishReason = 'stop' | 'length' | 'refused'

/**
 * Whether a call that failed is made again. `free`: it cannot have been paid, and is. `policy`: it may have been paid, and the
 * agent says. `never`: another try would come to the same.
 */
export type RetryRule = 'free' | 'policy' | 'never'

/** What came of a call. A failure is a value. */
export type ModelOutcome =
  | {
      status: 'succeeded'
      text: string
      calls: AskedCall[]
      finish: Exclude<FinishReason, 'refused'>
      usage: Usage
    }
  | {
      status: 'failed'
      reason: string
      retry: RetryRule
      /** The provider asks not to be asked again before. */
      notBefore?: Millis | undefined
      /** The provider's own words, bounded and without secrets. */
      providerMessage?: string | undefined
      /** The text that came before the failure. */
      text?: string | undefined
      /** What was used of it as far as that is known: nothing where the provider did not begin. */
      usage: Usage
    }

/** The code of a failure by its reason. */
export function failureOf(reason: string | null): ModelFailure {
  if (reason === 'refused') return 'PROCESSING_FAILED'
  return reason === 'status_429' ? 'INTEGRATION_RATE_LIMIT' : 'INTEGRATION_PROVIDER_ERROR'
}

/** Something that answers. */
export interface Model {
  name: string
  prices: ModelPrices
  /** Tokens that it reads and writes at most, together. */
  contextTokens: number
  maxOutputTokens: number
  /** Never throws for what the outside does. */
  respond(request: ModelRequest, call: ModelCall): Promise<ModelOutcome>
}

/** The models that there are, by name. */
export type Models = ReadonlyMap<string, Model>

/** An upper bound of the tokens of a text, for every tokenizer. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

/** How many tokens a request is at most. */
export function estimateRequest({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  return estimateTokens(JSON.stringify({ messages, tools }))
}

/** What a call costs in credits, the price of the step apart. */
export function costOf({ inputPer1000, outputPer1000 }: ModelPrices, usage: Usage): number {
  return Math.ceil((usage.inputTokens * inputPer1000 + usage.outputTokens * outputPer1000) / 1_000)
}
