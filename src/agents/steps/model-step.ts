import { MINUTE, type Millis } from '../../core/clock.ts'
import { costOf, estimateRequest, type Model, type ModelOutcome, type ModelRequest } from '../models/model.ts'
import type { ModelAnswer, Step } from '../transcript/rows.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import { changeStep, newStep, releaseStep, repeatSteps, writeNext } from './step-store.ts'
import type { TurnDeps } from './turn-deps.ts'

/** Longest model call: shorter than the lifetime of a credit reservation. */
const LONGEST_CALL: Millis = 10 * MINUTE

type Deps = Pick<TurnDeps, 'clock' | 'database' | 'charge' | 'stepPrice' | 'signals' | 'writer'>

/**
 * Calls the model. The step is written before the call, with credits reserved for its highest cost. The run's next
 * write stores the outcome and charges the used tokens.
 * @returns the step with its outcome
 * @throws LostRunError; ApiError INSUFFICIENT_CREDITS before anything is called
 */
export async function makeModelStep(
  deps: Deps,
  attempt: Attempt,
  model: Model,
  request: ModelRequest,
  { seq, begun }: { seq: number; begun?: Step | undefined },
): Promise<Step> {
  const { clock, charge, stepPrice } = deps
  attempt.begin('model')
  const step = await begin(deps, attempt, model, request, { seq, begun })
  attempt.ask(step)
  const outcome = await model.respond(request, {
    signal: attempt.signal,
    deadline: Math.min(attempt.run.deadline_at ?? Infinity, clock.now() + LONGEST_CALL),
    onText: attempt.say,
  })
  // The process that takes over repeats the call, and this try does not count.
  if (attempt.interruption() === 'drain' && outcome.status === 'failed') {
    const change = { reservation: null, tries: step.tries - 1 }
    await writeNext(deps, attempt, async (tx, now) => {
      await releaseStep(tx, charge, step, now)
      await changeStep(tx, step, change)
    })
    return { ...step, ...change }
  }
  const now = clock.now()
  const { usage } = outcome
  const isFree = outcome.status === 'failed' && usage.inputTokens + usage.outputTokens === 0
  const cost = isFree ? 0 : stepPrice + costOf(model.prices, usage)
  const ended: UnwrittenOutcome['ended'] = {
    ...(outcome.status === 'succeeded' ? toSucceeded(outcome) : toFailed(outcome)),
    ...{ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    ...{ reservation: null, ended_at: now },
  }
  attempt.addUnwritten({ step, ended, cost, at: now })
  return { ...step, ...ended }
}

async function begin(
  deps: Deps,
  attempt: Attempt,
  model: Model,
  request: ModelRequest,
  { seq, begun }: { seq: number; begun?: Step | undefined },
): Promise<Step> {
  const { clock, stepPrice, writer } = deps
  const { run } = attempt
  const inputTokens = estimateRequest(request)
  const most = { inputTokens, outputTokens: request.maxOutputTokens }
  const isFree = model.prices.inputPer1000 + model.prices.outputPer1000 === 0
  const credits = stepPrice + costOf(model.prices, most)
  const input_tokens = isFree ? 0 : inputTokens
  if (begun === undefined) {
    const step = newStep(
      {
        organization_id: run.organization_id,
        run_id: run.id,
        seq,
        kind: 'model',
        name: model.name,
        input_tokens,
      },
      clock.now(),
    )
    const [written = step] = await writer.begin(attempt, [{ step, credits }])
    return written
  }
  const [repeated = begun] = await repeatSteps(deps, attempt, [{ begun, credits, change: { input_tokens } }])
  return repeated
}

type Columns = Pick<Step, 'status' | 'output' | 'finish_reason'> & Partial<Step>

function toSucceeded(outcome: Extract<ModelOutcome, { status: 'succeeded' }>): Columns {
  const { finish } = outcome
  return { status: 'succeeded', output: JSON.stringify(toAnswer(outcome)), finish_reason: finish }
}

/** Text before a failure is kept for readers of the run; the model never reads it. */
function toFailed(outcome: Extract<ModelOutcome, { status: 'failed' }>): Columns {
  const { reason, retry, notBefore = null, providerMessage = null, text = '' } = outcome
  const finish = reason === 'refused' ? 'refused' : null
  const said: ModelAnswer = { text: storable(text), calls: [], finish: finish ?? 'stop' }
  return {
    ...{ status: 'failed', reason, retry, retry_at: notBefore, provider_message: providerMessage },
    ...{ finish_reason: finish, output: said.text === '' ? null : JSON.stringify(said) },
  }
}

/** The answer as stored: each call gets an id. */
function toAnswer({ text, calls, finish }: Extract<ModelOutcome, { status: 'succeeded' }>): ModelAnswer {
  const seen = new Set<string>()
  const named = calls.map((call, index) => {
    const given = storable(call.id)
    const id = given !== '' && !seen.has(given) ? given : `call_${index + 1}_${seen.size}`
    seen.add(id)
    return { id, name: storable(call.name), arguments: storable(call.arguments) }
  })
  return { text: storable(text), calls: named, finish }
}

/** Removes NUL characters and lone surrogates, which databases refuse. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
