import type { CallFailure } from '../../../net/call.ts'
import type { FinishReason, RetryRule } from '../model.ts'

/** Why an answer was not read to its end. */
export type ReadFailure = CallFailure | 'cut' | 'bad_answer'

/** The facts about a finished call of `/chat/completions`. */
export interface CallFacts {
  /** The status of the answer; undefined where none began. */
  status?: number | undefined
  /** Why the answer was not read to its end; undefined where it ended normally. */
  broken?: ReadFailure | undefined
  /** No byte of the request was sent. */
  isUnsent?: boolean
  /** An error object arrived; its `code`, or else its `type`. */
  error?: { code: string } | undefined
  /** The number of readable chunks. */
  chunks: number
  /** A choice arrived, possibly empty: the model had started. */
  isBegun: boolean
  /** The last `finish_reason`, in lower case. */
  finish?: string | undefined
  /** `[DONE]` arrived, or the answer was one complete JSON document. */
  isDone: boolean
  /** The model refused in words. */
  isRefusal: boolean
  /** Characters of text. */
  textLength: number
  /** Tool calls in the answer. */
  calls: number
}

/** The outcome: an answer, or a failure and whether the call is repeated. */
export type ChatOutcome = { finish: Exclude<FinishReason, 'refused'> } | { reason: string; retry: RetryRule }

type Row = [came: string, isSo: (seen: CallFacts) => boolean, means: (seen: CallFacts) => ChatOutcome]

const OK = 200
/** The provider did not start: too many requests, unavailable, overloaded. */
const NOT_BEGUN = new Set([429, 503, 529])
/** Error codes with the same meanings where an error object has no number. */
const NUMBER_OF: Record<string, number> = {
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  RateLimitError: 429,
  overloaded_error: 529,
  service_unavailable: 503,
  service_unavailable_error: 503,
  ServiceUnavailableError: 503,
}
const NO_QUOTA = new Set(['insufficient_quota', 'billing_hard_limit_reached'])
const FILTERED = new Set(['content_filter', 'content_policy_violation', 'ContentPolicyViolationError'])
const REFUSED = new Set(['content_filter', 'refusal', 'safety'])
const CUT_AT_LENGTH = new Set(['length', 'max_tokens', 'model_length', 'max_output_tokens'])
const CALLS_TOOLS = new Set(['tool_calls', 'function_call', 'tool_use'])
const GAVE_UP = new Set(['error', 'abort', 'aborted', 'cancelled'])

const fails = (reason: string, retry: RetryRule) => (): ChatOutcome => ({ reason, retry })
const ends = (finish: 'stop' | 'length') => (): ChatOutcome => ({ finish })

const numberOf = ({ error }: CallFacts) => NUMBER_OF[error?.code ?? ''] ?? Number(error?.code)
/** An error object before any choice replaces the status that was already sent. */
const isEarlyError = ({ error, isBegun }: CallFacts) => error !== undefined && !isBegun
const has = (names: Set<string>, value: string | undefined) => value !== undefined && names.has(value)

/**
 * The outcomes of a call of `/chat/completions`, and whether the call is repeated. The first matching row counts. A
 * call is repeated without the agent's consent only where it cannot have been charged. Each row has a recorded answer
 * (test/support/chat-dialects.ts).
 */
export const CHAT_OUTCOMES: readonly Row[] = [
  // No answer.
  ['no connection', ({ isUnsent }) => isUnsent === true, fails('unreachable', 'free')],
  ['no end within the time', ({ broken }) => broken === 'timeout', fails('timeout', 'policy')],
  ['more than is read', ({ broken }) => broken === 'too_large', fails('too_large', 'policy')],
  ['a connection that ended before its answer', ({ status }) => status === undefined, fails('cut', 'policy')],
  // An answer with an error status.
  [
    'a status, and the account is empty',
    ({ status, error }) => status !== OK && has(NO_QUOTA, error?.code),
    fails('quota_exceeded', 'never'),
  ],
  [
    'a status, and a filter has refused the question',
    ({ status, error }) => status !== OK && has(FILTERED, error?.code),
    fails('refused', 'never'),
  ],
  [
    '429, 503, 529',
    ({ status = 0 }) => NOT_BEGUN.has(status),
    ({ status }) => ({ reason: `status_${status}`, retry: 'free' }),
  ],
  [
    '408 and the other 5xx',
    ({ status = 0 }) => status === 408 || status >= 500,
    ({ status }) => ({ reason: `status_${status}`, retry: 'policy' }),
  ],
  [
    'another status than 200',
    ({ status }) => status !== OK,
    ({ status }) => ({ reason: `status_${status}`, retry: 'never' }),
  ],
  // An error object in an answer with status 200.
  [
    'an error object: the account is empty',
    ({ error }) => has(NO_QUOTA, error?.code),
    fails('quota_exceeded', 'never'),
  ],
  ['an error object: a filter', ({ error }) => has(FILTERED, error?.code), fails('refused', 'never')],
  [
    'an early error object with 429, 503, 529',
    (seen) => isEarlyError(seen) && NOT_BEGUN.has(numberOf(seen)),
    (seen) => ({ reason: `status_${numberOf(seen)}`, retry: 'free' }),
  ],
  [
    'an early error object with another 4xx',
    (seen) => isEarlyError(seen) && numberOf(seen) >= 400 && numberOf(seen) < 500,
    (seen) => ({ reason: `status_${numberOf(seen)}`, retry: 'never' }),
  ],
  ['an error object', ({ error }) => error !== undefined, fails('provider_error', 'policy')],
  // Incomplete or unreadable answers.
  [
    'a chunk that is no JSON, or nothing but that',
    ({ broken, chunks, isDone }) =>
      broken === 'bad_answer' || (broken === undefined && chunks === 0 && !isDone),
    fails('bad_answer', 'policy'),
  ],
  // Even after a `finish_reason`: some servers write one into each chunk, so it does not prove that the answer was
  // complete.
  ['a connection that ended within its answer', ({ broken }) => broken !== undefined, fails('cut', 'policy')],
  // The model's own reason for the end.
  [
    'a refusal in words, or by a filter',
    ({ isRefusal, finish }) => isRefusal || has(REFUSED, finish),
    fails('refused', 'never'),
  ],
  ['the server gave the answer up', ({ finish }) => has(GAVE_UP, finish), fails('provider_error', 'policy')],
  [
    'neither a reason to end nor [DONE]',
    ({ finish, isDone }) => finish === undefined && !isDone,
    fails('cut', 'policy'),
  ],
  [
    '[DONE], and nothing was said',
    ({ finish, textLength, calls }) => finish === undefined && textLength + calls === 0,
    fails('cut', 'policy'),
  ],
  ['the length was reached', ({ finish }) => has(CUT_AT_LENGTH, finish), ends('length')],
  [
    'it ends for calls, and there are none',
    ({ finish, calls }) => has(CALLS_TOOLS, finish) && calls === 0,
    fails('bad_answer', 'policy'),
  ],
  ['any other end', () => true, ends('stop')],
]

/** The outcome of a call, in the terms of a run. */
export function chatOutcomeOf(seen: CallFacts): ChatOutcome {
  const row = CHAT_OUTCOMES.find(([, isSo]) => isSo(seen))
  // The last row matches always.
  return row?.[2](seen) ?? { reason: 'bad_answer', retry: 'policy' }
}
