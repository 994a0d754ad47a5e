import { CATALOGUE, type ErrorCode } from '../../core/errors.ts'
import type { Run } from './rows.ts'

/**
 * A sentence for people by the reason of a failed run: what happened, and what to do. A reason is looked up together
 * with its code first, then alone, since both a model and a run may time out. `docs/agents.md` has the same sentences.
 */
export const RUN_ERRORS: Record<string, string> = {
  'PROCESSING_FAILED timeout':
    'The run took longer than it may. Raise `timeoutMs` of the agent, or ask for less at once.',
  max_steps:
    'The run needed more steps than it may make. Raise `maxSteps` of the agent, or ask for less at once.',
  context_length:
    'What the model has to read is longer than it takes. Shorten the input, attach less, begin a new conversation, or choose a model with more `contextTokens`.',
  length: 'The answer was cut at its longest. Raise `maxOutputTokens` of the agent, or ask for less at once.',
  refused: 'The model refused to answer. Say it in other words, or choose another model.',
  crashed_repeatedly:
    'Again and again the process ended while the run made the same step. Start it once more; if it ends in the same way, tell the operator the id of the run.',
  model_not_configured:
    'The server does not offer the model of this agent any more. Choose one of `GET /v1/models`.',
  status_401:
    'The endpoint of the model refused the key. The operator renews the variable that `keyVariable` names.',
  status_403:
    'The endpoint of the model refused the key. The operator renews the variable that `keyVariable` names.',
  status_404:
    'The endpoint of the model does not know the model, or the path. The operator corrects `url` and `model` in `MODELS_FILE`.',
  status_429: 'The endpoint of the model takes no more requests for now. Start the run again later.',
  unreachable:
    'The endpoint of the model could not be reached. Start the run again later; if it stays so, the operator checks `url` in `MODELS_FILE`.',
  'INTEGRATION_PROVIDER_ERROR timeout':
    'The model did not answer in time. Start the run again, or choose a faster model.',
  too_large: 'The model answered with more than is read of one answer. Lower `maxOutputTokens` of the agent.',
  cut: 'The answer of the model broke off. Start the run again.',
  bad_answer:
    'The endpoint of the model answered with something else than a model does. The operator checks `url` in `MODELS_FILE`.',
  quota_exceeded:
    'The account at the provider of the model is used up. The operator adds to it, then start the run again.',
  provider_error: 'The endpoint of the model reported an error of its own. Start the run again later.',
  INSUFFICIENT_CREDITS:
    'The credits did not suffice for the next step; those before it were paid. Add credits by `POST /v1/billing/checkout`, or wait for the next cycle.',
  INTEGRATION_RATE_LIMIT:
    'The endpoint of the model asked to wait longer than the run may take. Start the run again later.',
  INTEGRATION_PROVIDER_ERROR:
    'The endpoint of the model failed. Start the run again later; if it stays so, ask the operator.',
  MCP_CLIENT_UNAVAILABLE:
    'A server of tools that the run must have is unavailable. Ask it by `POST /v1/mcp-servers/{id}/refresh`, or make it optional with `required: false`.',
  PROCESSING_FAILED:
    'The run could not be done. Start it once more; if it fails again, tell the operator the id of the run.',
}

/** The reason of a failed run as the API shows it; null for any other run. */
interface RunError {
  code: ErrorCode
  message: string
  details: { reason: string | null }
}

/** The error of a run, with the sentence for its reason. */
export function errorOf({
  error_code,
  error_reason: reason,
}: Pick<Run, 'error_code' | 'error_reason'>): RunError | null {
  if (error_code === null) return null
  const code = error_code as ErrorCode
  const keys = reason === null ? [code] : [`${code} ${reason}`, reason, code]
  const key = keys.find((one) => Object.hasOwn(RUN_ERRORS, one))
  const message = key === undefined ? CATALOGUE[code].message : (RUN_ERRORS[key] ?? CATALOGUE[code].message)
  return { code, message, details: { reason } }
}
