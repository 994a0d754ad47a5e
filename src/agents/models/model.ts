import type { ModelParameters } from '../../config/model-parameters.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The price of a model in credits per 1,000 tokens, beside the price of a step. */
interface ModelPrices {
  inputPer1000: number
  outputPer1000: number
}

/** A tool call that a model requests. */
export interface AskedCall {
  id: string
  name: string
  /** As the model wrote them: usually JSON. */
  arguments: string
}

/** The messages that a model reads, in order. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: AskedCall[] }
  | { role: 'tool'; callId: string; content: string }

/** A tool that a model may call. */
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
  /** The agent's parameters, which take precedence over those of the model. */
  parameters: ModelParameters
}

export interface ModelCall {
  signal: AbortSignal
  /** When the run ends, independent of the call. */
  deadline: Millis
  /** Called with each piece of the answer as it arrives. */
  onText: (text: string) => void
}

export interface Usage {
  inputTokens: number
  outputTokens: number
}

/** Codes with which a model call fails; they become the run's code. */
export type ModelFailure = 'INTEGRATION_PROVIDER_ERROR' | 'INTEGRATION_RATE_LIMIT' | 'PROCESSING_FAILED'

/** Why an answer ended: the text was complete, the length was reached, or the model refused. */
export type FinishReason = 'stop' | 'length' | 'refused'

/**
 * Whether a failed call is repeated. `free`: it cannot have been charged, and is repeated. `policy`: it may have been
 * charged, and the agent's setting decides. `never`: another try would fail in the same way.
 */
export type RetryRule = 'free' | 'policy' | 'never'

/** The outcome of a call. A failure is a value. */
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
      /** The provider accepts no request before this moment. */
      notBefore?: Millis | undefined
      /** The provider's message, bounded and without secrets. */
      providerMessage?: string | undefined
      /** The text before the failure. */
      text?: string | undefined
      /** The known usage: none where the provider did not start. */
      usage: Usage
    }

/** The code of a failure by its reason. */
export function failureOf(reason: string | null): ModelFailure {
  if (reason === 'refused') return 'PROCESSING_FAILED'
  return reason === 'status_429' ? 'INTEGRATION_RATE_LIMIT' : 'INTEGRATION_PROVIDER_ERROR'
}

/** A source of answers. */
export interface Model {
  name: string
  prices: ModelPrices
  /** Most tokens of input and output together. */
  contextTokens: number
  maxOutputTokens: number
  /** Never throws for failures outside of the process. */
  respond(request: ModelRequest, call: ModelCall): Promise<ModelOutcome>
}

/** The configured models, by name. */
export type Models = ReadonlyMap<string, Model>

/** An upper bound of the tokens of a text, for every tokenizer. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

/** An upper bound of the tokens of a request. */
export function estimateRequest({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  return estimateTokens(JSON.stringify({ messages, tools }))
}

/** The cost of a call in credits, without the price of the step. */
export function costOf({ inputPer1000, outputPer1000 }: ModelPrices, usage: Usage): number {
  return Math.ceil((usage.inputTokens * inputPer1000 + usage.outputTokens * outputPer1000) / 1_000)
}
