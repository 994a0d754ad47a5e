import { type AskedCall, failureOf, type ModelFailure } from '../models/model.ts'
import { answerOf, type Step } from './rows.ts'

/** Why a run fails for a reason of its own; the code is PROCESSING_FAILED. */
type OwnReason = 'max_steps' | 'refused' | 'crashed_repeatedly'

/** What a run does next. */
export type Move =
  /** Asks the model; `begun`: the step that was begun, and nobody knows what came of it. */
  | { kind: 'model'; seq: number; begun?: Step }
  /** Calls a tool that the model asks for, or asks a person about it, or notes why not. */
  | { kind: 'tool'; seq: number; call: AskedCall; approval: Step | undefined; begun?: Step }
  | { kind: 'wait' }
  | { kind: 'succeed'; output: string }
  | { kind: 'fail'; code: ModelFailure | 'PROCESSING_FAILED'; reason: string }

/** Calls of one answer that are made; the model is asked to make the others another time. */
export const MOST_CALLS = 16

/**
 * Processes that may die with a run, and with no step of it finished between, before it is taken for the cause. A call of a
 * model has no effect outside: one that a process has died with is made once more until then.
 */
export const MOST_STARTS = 5

/**
 * What follows from the steps that a run has made, whoever has made them: each process that takes the run up comes to the
 * same.
 */
export function nextMove(steps: Step[], { maxSteps }: { maxSteps: number }): Move {
  const last = steps.at(-1)
  const seq = (last?.seq ?? 0) + 1
  if (last?.status === 'started') return afterCrash(last, steps)
  const model = steps.findLast(({ kind }) => kind === 'model')
  const isFull = steps.filter(({ kind }) => kind !== 'approval').length >= maxSteps
  if (model === undefined) return { kind: 'model', seq }
  const { reason } = model
  if (model.status === 'failed') return { kind: 'fail', code: failureOf(reason), reason: reason ?? 'unknown' }
  const answer = answerOf(model)
  if (answer.finish === 'refused') return fail('refused')
  if (answer.calls.length === 0) return { kind: 'succeed', output: answer.text }
  if (isFull) return fail('max_steps')
  const call = answer.calls.slice(0, MOST_CALLS).find(({ id }) => !isDone(steps, model, id))
  if (call === undefined) return { kind: 'model', seq }
  return { kind: 'tool', seq, call, approval: approvalOf(steps, model, call.id) }
}

const fail = (reason: OwnReason): Move => ({ kind: 'fail', code: 'PROCESSING_FAILED', reason })

function afterCrash(last: Step, steps: Step[]): Move {
  if (last.kind === 'approval') return { kind: 'wait' }
  if (last.tries >= MOST_STARTS && last.kind === 'model') return fail('crashed_repeatedly')
  if (last.kind === 'model') return { kind: 'model', seq: last.seq, begun: last }
  const model = steps.findLast(({ kind }) => kind === 'model')
  const call = model && answerOf(model).calls.find(({ id }) => id === last.call_id)
  if (model === undefined || call === undefined) return fail('crashed_repeatedly')
  const approval = approvalOf(steps, model, call.id)
  return { kind: 'tool', seq: last.seq, call, approval, begun: last }
}

const isAfter = (model: Step) => (step: Step) => step.seq > model.seq

function isDone(steps: Step[], model: Step, callId: string): boolean {
  return steps.filter(isAfter(model)).some(({ kind, call_id }) => kind === 'tool' && call_id === callId)
}

function approvalOf(steps: Step[], model: Step, callId: string): Step | undefined {
  return steps.filter(isAfter(model)).find(({ kind, call_id }) => kind === 'approval' && call_id === callId)
}
