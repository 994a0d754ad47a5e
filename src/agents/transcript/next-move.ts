import { waitAfter } from '../../core/backoff.ts'
import { DAY, type Millis, SECOND } from '../../core/clock.ts'
import type { Definition } from '../definitions/definition.ts'
import { type AskedCall, type FinishReason, failureOf, type ModelFailure } from '../models/model.ts'
import { readArguments } from './arguments.ts'
import { answerOf, type Step } from './rows.ts'

/** Why a run fails for a reason of its own; the code is PROCESSING_FAILED. */
type OwnReason = 'max_steps' | 'length' | 'crashed_repeatedly'

/** What a run does next. */
export type Move =
  /** Asks a model, by its name; `begun`: the step that was begun, and what came of it is not known. */
  | { kind: 'model'; seq: number; name: string; begun?: Step }
  /** Calls tools that the model asks for, or asks a person about one, or notes why not. */
  | {
      kind: 'tools'
      /** In the order of the answer, at least one; several are made side by side. */
      calls: NextCall[]
      /** The answer that asks for them was cut. */
      isCut: boolean
    }
  | { kind: 'wait' }
  /** The model is asked again, and not before. */
  | { kind: 'later'; at: Millis }
  | { kind: 'succeed'; output: string; finish: FinishReason }
  | { kind: 'fail'; code: ModelFailure | 'PROCESSING_FAILED'; reason: string; finish: FinishReason | null }

/** A call that comes next. */
export interface NextCall {
  seq: number
  call: AskedCall
  /** What was decided about it. */
  approval?: Step | undefined
  /** The step that was begun for it, and what came of it is not known. */
  begun?: Step
}

/** What a run goes by, beside its steps. */
export interface Rules
  extends Pick<Definition, 'maxSteps' | 'model' | 'onLength' | 'onModelFailure' | 'fallbackModel'> {
  /** Names of the tools whose calls may be made side by side: declared harmless, and not decided about. */
  parallel: ReadonlySet<string>
  /** Steps up to this place were made before the run was resumed: their failures are over. */
  resumedSeq: number
  /** When the run ends. */
  deadlineAt: Millis
  now: Millis
}

/** Calls of one answer that are made; the model is asked to make the others another time. */
export const MOST_CALLS = 16

/** Calls of one run that are made side by side. */
export const MOST_SIDE_BY_SIDE = 8

/** How long a person has to decide about a call, and how long an approval holds after it was given. */
export const APPROVAL_LIFETIME: Millis = DAY

/**
 * Processes that may die with a run before the run is taken for the cause; a finished step between two of them resets the
 * count. A call of a model has no effect outside, so it is repeated until then.
 */
export const MOST_STARTS = 5

/** The waits before a model is asked again that did not begin to answer; the last one repeats. */
const WAITS: readonly Millis[] = [1, 2, 4, 8, 16, 30].map((seconds) => seconds * SECOND)
/** Most such tries in a row. */
const MOST_FREE = 10
/** Most such tries where the agent names a second model. */
const MOST_FREE_BEFORE_FALLBACK = 2
/** Most further tries of a call that may have been paid, where the agent allows them. */
const MOST_PAID = 2

/** The next move of a run, from its steps alone: every process that takes the run up comes to the same. */
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
  // Cut before its first word there is nothing to keep.
  const isNothing = answer.calls.length === 0 && answer.text.trim() === ''
  if (isCut && (rules.onLength === 'fail' || isNothing)) return fail('length', 'length')
  if (answer.calls.length === 0) return { kind: 'succeed', output: answer.text, finish: answer.finish }
  const made = steps.filter((one) => one.seq > resumedSeq && one.kind !== 'approval' && !isFailedCall(one))
  if (made.length >= maxSteps) return fail('max_steps')
  const open = answer.calls.slice(0, MOST_CALLS).filter(({ id }) => !isDone(steps, model, id))
  // The model that answered last is asked next.
  if (open.length === 0) return { kind: 'model', seq, name: nameOf(model, rules) }
  const next = open.map((call, index): NextCall => {
    return { seq: seq + index, call, approval: approvalOf(steps, model, call.id, rules) }
  })
  const most = isCut ? 1 : Math.min(MOST_SIDE_BY_SIDE, maxSteps - made.length)
  return { kind: 'tools', isCut, calls: next.slice(0, sideBySide(next, most, rules)) }
}

/** How many of the calls are made at once: as many as may be from the first one on, or the first one alone. */
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

/** A model step that failed the run before it was resumed. */
function isOver(step: Step, { resumedSeq, onLength }: Rules): boolean {
  if (step.seq > resumedSeq) return false
  if (step.status === 'failed') return true
  return step.finish_reason === 'length' && (onLength === 'fail' || answerOf(step).calls.length === 0)
}

/** The model of the agent that made a step; where the agent no longer has it, its own model. */
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
  const at = Math.max(model.retry_at ?? 0, (model.ended_at ?? now) + waitAfter(WAITS, tries))
  if (tries <= most[retry ?? 'never'] && at < deadlineAt)
    return at > now ? { kind: 'later', at } : { kind: 'model', seq, name }
  if (other !== null && reason !== 'refused') return { kind: 'model', seq, name: other }
  const finish = reason === 'refused' ? 'refused' : null
  return { kind: 'fail', code: failureOf(reason), reason: reason ?? 'unknown', finish }
}

/** The move after a process died: all started steps are its. Calls of tools may be several. */
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

/** The calls of the last answer that were neither made nor asked about, in their order. */
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

/** What was decided about a call. One that the run failed before, and that was approved too long ago, is asked about anew. */
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
