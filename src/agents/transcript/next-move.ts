import { waitAfter } from '../../core/backoff.ts'
import { DAY, type Millis, SECOND } from '../../core/clock.ts'
import type { Definition } from '../definitions/definition.ts'
import { type AskedCall, type FinishReason, failureOf, type ModelFailure } from '../models/model.ts'
import { readArguments } from './arguments.ts'
import { answerOf, type Step } from './rows.ts'

/** Reasons of a failed run with the code PROCESSING_FAILED. */
type OwnReason = 'max_steps' | 'length' | 'crashed_repeatedly'

/** The next action of a run. */
export type Move =
  /** Calls a model by its name; `begun`: an earlier step of the same call with an unknown outcome. */
  | { kind: 'model'; seq: number; name: string; begun?: Step }
  /** Calls tools that the model requested, or asks a person about one, or records why not. */
  | {
      kind: 'tools'
      /** In the order of the answer, at least one; several run side by side. */
      calls: NextCall[]
      /** The answer with these calls was truncated. */
      isCut: boolean
    }
  | { kind: 'wait' }
  /** The model is called again, not before this moment. */
  | { kind: 'later'; at: Millis }
  | { kind: 'succeed'; output: string; finish: FinishReason }
  | { kind: 'fail'; code: ModelFailure | 'PROCESSING_FAILED'; reason: string; finish: FinishReason | null }

/** The next call of the answer. */
export interface NextCall {
  seq: number
  call: AskedCall
  /** The decision about the call. */
  approval?: Step | undefined
  /** The step of an earlier start with an unknown outcome. */
  begun?: Step
}

/** The parameters of a run beside its steps. */
export interface Rules
  extends Pick<Definition, 'maxSteps' | 'model' | 'onLength' | 'onModelFailure' | 'fallbackModel'> {
  /** Names of tools whose calls may run side by side: declared harmless, and without approval. */
  parallel: ReadonlySet<string>
  /** The last position before the run was resumed: earlier failures no longer count. */
  resumedSeq: number
  /** When the run ends. */
  deadlineAt: Millis
  now: Millis
}

/** Most calls of one answer that are made; the model has to repeat the others. */
export const MOST_CALLS = 16

/** Most calls of one run side by side. */
export const MOST_SIDE_BY_SIDE = 8

/** How long a person has to decide about a call, and how long an approval is valid. */
export const APPROVAL_LIFETIME: Millis = DAY

/**
 * Process deaths after which the run is assumed to be their cause; a finished step resets the count. A model call has
 * no effect outside, so it is repeated until then.
 */
export const MOST_STARTS = 5

/** Waits before calling a model again that did not start an answer; the last one repeats. */
const WAITS: readonly Millis[] = [1, 2, 4, 8, 16, 30].map((seconds) => seconds * SECOND)
/** Most such tries in a row. */
const MOST_FREE = 10
/** Most such tries where the agent has a fallback model. */
const MOST_FREE_BEFORE_FALLBACK = 2
/** Most further tries of a call that may have been charged, where the agent allows them. */
const MOST_PAID = 2

/** The next move of a run, from its steps alone: every process that claims the run computes the same. */
export function nextMove(steps: Step[], rules: Rules): Move {
  const { maxSteps, resumedSeq } = rules
  const last = steps.at(-1)
  const seq = Math.max(last?.seq ?? 0, resumedSeq) + 1
  if (steps.some(({ kind, status }) => kind === 'approval' && status === 'started')) return { kind: 'wait' }
  const begun = steps.filter(({ status }) => status === 'started')
  if (begun.length > 0) return afterCrash(begun, steps, rules)
  const model = steps.findLast((step) => step.kind === 'model' && !isOver(step, rules))
  if (model === undefined) return { kind: 'model', seq, name: rules.model }
  if (model.status === 'failed') return afterFailure(model, steps, rules, seq)
  const answer = answerOf(model)
  const isCut = answer.finish === 'length'
  // An answer that was truncated before its first word is empty.
  const isNothing = answer.calls.length === 0 && answer.text.trim() === ''
  if (isCut && (rules.onLength === 'fail' || isNothing)) return fail('length', 'length')
  if (answer.calls.length === 0) return { kind: 'succeed', output: answer.text, finish: answer.finish }
  const made = steps.filter((one) => one.seq > resumedSeq && one.kind !== 'approval' && !isFailedCall(one))
  if (made.length >= maxSteps) return fail('max_steps')
  const open = answer.calls.slice(0, MOST_CALLS).filter(({ id }) => !isDone(steps, model, id))
  // The model that answered last is called next.
  if (open.length === 0) return { kind: 'model', seq, name: nameOf(model, rules) }
  const next = open.map((call, index): NextCall => {
    return { seq: seq + index, call, approval: approvalOf(steps, model, call.id, rules) }
  })
  const most = isCut ? 1 : Math.min(MOST_SIDE_BY_SIDE, maxSteps - made.length)
  return { kind: 'tools', isCut, calls: next.slice(0, sideBySide(next, most, rules)) }
}

/** How many calls run at once: the first ones that allow it, or the first alone. */
function sideBySide(calls: NextCall[], most: number, { parallel }: Rules): number {
  const isParallel = ({ call, approval }: NextCall) =>
    parallel.has(call.name) && approval === undefined && readArguments(call.arguments) !== undefined
  const end = calls.findIndex((one) => !isParallel(one))
  return Math.max(1, Math.min(end < 0 ? calls.length : end, most))
}

const fail = (reason: OwnReason, finish: FinishReason | null = null): Move => ({
  ...{ kind: 'fail', code: 'PROCESSING_FAILED', reason, finish },
})

const isFailedCall = ({ kind, status }: Step) => kind === 'model' && status === 'failed'

/** Whether a model step failed before the run was resumed. */
function isOver(step: Step, { resumedSeq, onLength }: Rules): boolean {
  if (step.seq > resumedSeq) return false
  if (step.status === 'failed') return true
  return step.finish_reason === 'length' && (onLength === 'fail' || answerOf(step).calls.length === 0)
}

/** The agent's model that made a step; its main model where the agent no longer has that one. */
function nameOf({ name }: Step, { model, fallbackModel }: Rules): string {
  return name === fallbackModel ? name : model
}

/** The move after a failed model call: another call, of this or the fallback model, or the failure of the run. */
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
  const at = Math.max(model.retry_at ?? 0, (model.ended_at ?? now) + waitAfter(WAITS, tries))
  if (tries <= most[retry ?? 'never'] && at < deadlineAt)
    return at > now ? { kind: 'later', at } : { kind: 'model', seq, name }
  if (other !== null && reason !== 'refused') return { kind: 'model', seq, name: other }
  const finish = reason === 'refused' ? 'refused' : null
  return { kind: 'fail', code: failureOf(reason), reason: reason ?? 'unknown', finish }
}

/** The move after a process died: it had begun all these steps. Tool calls may be several. */
function afterCrash(begun: Step[], steps: Step[], rules: Rules): Move {
  const asking = begun.find(({ kind }) => kind === 'model')
  if (asking !== undefined) {
    if (asking.tries >= MOST_STARTS) return fail('crashed_repeatedly')
    return { kind: 'model', seq: asking.seq, name: nameOf(asking, rules), begun: asking }
  }
  const model = lastAnswer(steps)
  const asked = new Map((model === undefined ? [] : answerOf(model).calls).map((call) => [call.id, call]))
  const calls = begun.flatMap((step): NextCall[] => {
    const call = asked.get(step.call_id ?? '')
    return call === undefined ? [] : [{ seq: step.seq, call, begun: step }]
  })
  if (calls.length < begun.length) return fail('crashed_repeatedly')
  return { kind: 'tools', isCut: false, calls }
}

/** The calls of the last answer that were neither made nor submitted for approval, in order. */
export function openCalls(steps: Step[], rules: Pick<Rules, 'resumedSeq' | 'now'>): AskedCall[] {
  const model = lastAnswer(steps)
  if (model === undefined) return []
  return answerOf(model)
    .calls.slice(0, MOST_CALLS)
    .filter(({ id }) => !isDone(steps, model, id) && approvalOf(steps, model, id, rules) === undefined)
}

const lastAnswer = (steps: Step[]) =>
  steps.findLast(({ kind, status }) => kind === 'model' && status === 'succeeded')

const isAfter = (model: Step) => (step: Step) => step.seq > model.seq

function isDone(steps: Step[], model: Step, callId: string): boolean {
  return steps.filter(isAfter(model)).some(({ kind, call_id }) => kind === 'tool' && call_id === callId)
}

/** The decision about a call. After a failure of the run, an approval that has expired is requested again. */
function approvalOf(
  steps: Step[],
  model: Step,
  callId: string,
  { resumedSeq, now }: Pick<Rules, 'resumedSeq' | 'now'>,
): Step | undefined {
  const approval = steps
    .filter(isAfter(model))
    .findLast(({ kind, call_id }) => kind === 'approval' && call_id === callId)
  const isGiven = approval?.status === 'succeeded' && approval.seq < resumedSeq
  return isGiven && (approval.ended_at ?? now) + APPROVAL_LIFETIME <= now ? undefined : approval
}
