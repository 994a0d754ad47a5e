import { type Millis, SECOND } from '../../core/clock.ts'
import type { Definition } from '../definitions/definition.ts'
import { type AskedCall, type FinishReason, failureOf, type ModelFailure } from '../models/model.ts'
import { answerOf, type Step } from './rows.ts'

/** Why a run fails for a reason of its own; the code is PROCESSING_FAILED. */
type OwnReason = 'max_steps' | 'length' | 'crashed_repeatedly'

/** What a run does next. */
export type Move =
  /** Asks a model, by its name; `begun`: the step that was begun, and what came of it is not known. */
  | { kind: 'model'; seq: number; name: string; begun?: Step }
  /** Calls a tool that the model asks for, or asks a person about it, or notes why not. */
  | {
      kind: 'tool'
      seq: number
      call: AskedCall
      /** The answer that asks for it was cut. */
      isCut: boolean
      approval: Step | undefined
      begun?: Step
    }
  | { kind: 'wait' }
  /** The model is asked again, and not before. */
  | { kind: 'later'; at: Millis }
  | { kind: 'succeed'; output: string; finish: FinishReason }
  | { kind: 'fail'; code: ModelFailure | 'PROCESSING_FAILED'; reason: string; finish: FinishReason | null }

/** What a run goes by, beside its steps. */
export interface Rules
  extends Pick<Definition, 'maxSteps' | 'model' | 'onLength' | 'onModelFailure' | 'fallbackModel'> {
  /** Steps up to this place were made before the run was resumed: their failures are over. */
  resumedSeq: number
  /** When the run ends. */
  deadlineAt: Millis
  now: Millis
}

/** Calls of one answer that are made; the model is asked to make the others another time. */
export const MOST_CALLS = 16

/**
 * Processes that may die with a run, and with no step of it finished between, before it is taken for the cause. A call of a
 * model has no effect outside: one that a process has died with is made once more until then.
 */
export const MOST_STARTS = 5

/** The waits before a model is asked again that did not begin; the last one repeats. */
const WAITS: readonly Millis[] = [1, 2, 4, 8, 16, 30].map((seconds) => seconds * SECOND)
/** How often it is, one after the other. */
const MOST_FREE = 10
/** How often where there is another model to ask. */
const MOST_FREE_BEFORE_FALLBACK = 2
/** How often one is asked again that may have been paid, where the agent says that it may. */
const MOST_PAID = 2

/**
 * What follows from the steps that a run has made, in whichever process: each that takes the run up comes to the same.
 */
export function nextMove(steps: Step[], rules: Rules): Move {
  const { maxSteps, resumedSeq } = rules
  const last = steps.at(-1)
  const seq = Math.max(last?.seq ?? 0, resumedSeq) + 1
  if (steps.some(({ kind, status }) => kind === 'approval' && status === 'started')) return { kind: 'wait' }
  if (last?.status === 'started') return afterCrash(last, steps, rules)
  const model = steps.findLast((step) => step.kind === 'model' && !isOver(step, rules))
  if (model === undefined) return { kind: 'model', seq, name: rules.model }
  if (model.status === 'failed') return afterFailure(model, steps, rules, seq)
  const answer = answerOf(model)
  const isCut = answer.finish === 'length'
  // Cut before its first word there is nothing to keep.
  const isNothing = answer.calls.length === 0 && answer.text.trim() === ''
  if (isCut && (rules.onLength === 'fail' || isNothing)) return fail('length', 'length')
  if (answer.calls.length === 0) return { kind: 'succeed', output: answer.text, finish: answer.finish }
  const made = steps.filter((one) => one.seq > resumedSeq && one.kind !== 'approval' && !isFailedCall(one))
  if (made.length >= maxSteps) return fail('max_steps')
  const call = answer.calls.slice(0, MOST_CALLS).find(({ id }) => !isDone(steps, model, id))
  // Whichever model has answered goes on with it.
  if (call === undefined) return { kind: 'model', seq, name: nameOf(model, rules) }
  return { kind: 'tool', seq, call, isCut, approval: approvalOf(steps, model, call.id) }
}

const fail = (reason: OwnReason, finish: FinishReason | null = null): Move => ({
  ...{ kind: 'fail', code: 'PROCESSING_FAILED', reason, finish },
})

const isFailedCall = ({ kind, status }: Step) => kind === 'model' && status === 'failed'

/** What a model came to that the run failed by, before it was resumed. */
function isOver(step: Step, { resumedSeq, onLength }: Rules): boolean {
  if (step.seq > resumedSeq) return false
  if (step.status === 'failed') return true
  return step.finish_reason === 'length' && (onLength === 'fail' || answerOf(step).calls.length === 0)
}

/** The one of the agent's models that a step was made with; of one that it has no more, its own. */
function nameOf({ name }: Step, { model, fallbackModel }: Rules): string {
  return name === fallbackModel ? name : model
}

/** The model is asked again, now or later, or another one is; or the run fails. */
function afterFailure(model: Step, steps: Step[], rules: Rules, seq: number): Move {
  const { onModelFailure, fallbackModel, now, deadlineAt } = rules
  const { retry, reason } = model
  const name = nameOf(model, rules)
  const other = onModelFailure === 'fallback' && name !== fallbackModel ? fallbackModel : null
  const most = { free: other === null ? MOST_FREE : MOST_FREE_BEFORE_FALLBACK, policy: 0, never: 0 }
  if (onModelFailure === 'retry') most.policy = MOST_PAID
  const since = steps.findLastIndex((step) => !isFailedCall(step) || step.name !== model.name)
  const failures = steps.slice(since + 1).filter((step) => step.seq > rules.resumedSeq)
  const tries = failures.filter((step) => step.retry === retry).length
  const wait = WAITS[Math.min(tries, WAITS.length) - 1] ?? 0
  const at = Math.max(model.retry_at ?? 0, (model.ended_at ?? now) + wait)
  if (tries <= most[retry ?? 'never'] && at < deadlineAt)
    return at > now ? { kind: 'later', at } : { kind: 'model', seq, name }
  if (other !== null && reason !== 'refused') return { kind: 'model', seq, name: other }
  const finish = reason === 'refused' ? 'refused' : null
  return { kind: 'fail', code: failureOf(reason), reason: reason ?? 'unknown', finish }
}

function afterCrash(last: Step, steps: Step[], rules: Rules): Move {
  if (last.tries >= MOST_STARTS && last.kind === 'model') return fail('crashed_repeatedly')
  if (last.kind === 'model') return { kind: 'model', seq: last.seq, name: nameOf(last, rules), begun: last }
  const model = steps.findLast(({ kind, status }) => kind === 'model' && status === 'succeeded')
  const call = model && answerOf(model).calls.find(({ id }) => id === last.call_id)
  if (model === undefined || call === undefined) return fail('crashed_repeatedly')
  const approval = approvalOf(steps, model, call.id)
  return { kind: 'tool', seq: last.seq, call, isCut: false, approval, begun: last }
}

/** The calls of the last answer that were neither made nor asked about, in their order. */
export function openCalls(steps: Step[]): AskedCall[] {
  const model = steps.findLast(({ kind, status }) => kind === 'model' && status === 'succeeded')
  if (model === undefined) return []
  return answerOf(model)
    .calls.slice(0, MOST_CALLS)
    .filter(({ id }) => !isDone(steps, model, id) && approvalOf(steps, model, id) === undefined)
}

const isAfter = (model: Step) => (step: Step) => step.seq > model.seq

function isDone(steps: Step[], model: Step, callId: string): boolean {
  return steps.filter(isAfter(model)).some(({ kind, call_id }) => kind === 'tool' && call_id === callId)
}

function approvalOf(steps: Step[], model: Step, callId: string): Step | undefined {
  return steps.filter(isAfter(model)).find(({ kind, call_id }) => kind === 'approval' && call_id === callId)
}
