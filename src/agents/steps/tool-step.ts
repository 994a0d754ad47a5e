import type { AskedCall } from '../models/model.ts'
import type { Tool, ToolOutcome } from '../tools/tool.ts'
import { digestOf, PROCESS_DIED, type Step } from '../transcript/rows.ts'
import { cleaned } from '../transcript/transcript.ts'
import type { Attempt } from './attempt.ts'
import type { StepDeps, TurnDeps } from './step-deps.ts'
import {
  changeStep,
  insertStep,
  newStep,
  releaseStep,
  settleStep,
  type Writing,
  writeNext,
} from './step-store.ts'

type Deps = Writing & Pick<StepDeps, 'stepPrice'>

/** A call that is made, with what it is made with. */
export interface Order {
  seq: number
  call: AskedCall
  tool: Tool
  args: Record<string, unknown>
}

/** How often a call that may be repeated is begun, when its outcome is unknown. */
const MOST_TRIES = 3

const TEXT_OF: Record<string, string> = {
  unknown_tool: 'There is no such tool.',
  bad_arguments:
    'Not called: the arguments are no JSON object, or one that is nested too deeply. Write {} where there are none.',
  cut_arguments:
    'Not called: the answer was cut at its longest before it was complete. Ask again, in fewer words or with fewer calls.',
  denied: 'A person has refused this call. Do not ask for it in another way.',
  expired: 'There was no decision about this call in time: it was not made.',
  changed: 'The tool or the call is not the one that was approved: it was not made.',
}

/**
 * Notes a call that is not made, and why; the model reads it.
 * @param said the reason of the person who refused it
 * @throws LostRunError
 */
export function refuseCall(
  writing: Writing,
  attempt: Attempt,
  { seq, call }: Pick<Order, 'seq' | 'call'>,
  reason: keyof typeof TEXT_OF,
  said?: string | null,
): Promise<Step> {
  const text = TEXT_OF[reason] ?? ''
  const output = reason === 'denied' && said ? `${text} The reason given: ${said}` : text
  const name = call.name.slice(0, 128)
  return writeNext(writing, attempt, async (tx, now) => {
    const step = newStep({ run_id: attempt.run.id, seq, kind: 'tool', name, call_id: call.id }, now)
    const refused: Step = { ...step, status: 'failed', input: call.arguments, output, reason, ended_at: now }
    await insertStep(tx, refused)
    return refused
  })
}

/**
 * Calls a tool: written before the call is made; what comes of it is owed then. Found begun, by a process that took the run up
 * after a crash, it is called once more only where it may be; otherwise its outcome is unknown.
 * @returns the step as it is, or will be once what is owed is written
 * @throws LostRunError; ApiError INSUFFICIENT_CREDITS before anything is called
 */
export async function makeToolStep(
  deps: Deps & Pick<TurnDeps, 'writer'>,
  attempt: Attempt,
  order: Order,
  begun?: Step,
): Promise<Step> {
  const { clock, stepPrice } = deps
  if (begun !== undefined && (!order.tool.isRepeatable || begun.tries >= MOST_TRIES))
    return leaveUnknown(deps, attempt, begun, PROCESS_DIED)
  const preparing = order.tool.prepare()
  // Where the step cannot be written, its failure is not asked for.
  preparing.catch(() => {})
  const step = await begin(deps, attempt, order, begun)
  const call = await preparing
  const outcome = await call(order.args, {
    stepId: step.id,
    signal: attempt.signal,
    deadline: attempt.run.deadline_at ?? Infinity,
  })
  const now = clock.now()
  const ended = { ...toColumns(outcome), reservation: null, ended_at: now }
  attempt.owed = { step, ended, cost: stepPrice, at: now }
  return { ...step, ...ended }
}

function toColumns(outcome: ToolOutcome): Pick<Step, 'status' | 'output' | 'reason'> {
  if (outcome.status === 'unknown') return { status: 'unknown', output: null, reason: outcome.reason }
  const output = cleaned(outcome.text)
  return { status: outcome.status, output, reason: 'reason' in outcome ? outcome.reason : null }
}

function begin(
  deps: Deps & Pick<TurnDeps, 'writer'>,
  attempt: Attempt,
  { seq, call, tool }: Order,
  begun: Step | undefined,
): Promise<Step> {
  const { run } = attempt
  if (begun === undefined) {
    const step = newStep(
      {
        ...{ run_id: run.id, seq, kind: 'tool', name: tool.name, server_id: tool.serverId, call_id: call.id },
        ...{ input: call.arguments, input_digest: digestOf(call.arguments) },
        definition_digest: tool.definitionDigest,
      },
      deps.clock.now(),
    )
    return deps.writer.begin({ attempt, step, credits: undefined })
  }
  const { charge } = deps
  return writeNext(deps, attempt, async (tx, now) => {
    await releaseStep(tx, charge, begun, now)
    const reserved = await charge.reserve(tx, {
      ...{ organizationId: run.organization_id, action: 'run.step', reference: run.id, now },
    })
    const change = { reservation: JSON.stringify(reserved), tries: begun.tries + 1 }
    await changeStep(tx, begun, change)
    return { ...begun, ...change }
  })
}

/** Notes that the outcome of a call is unknown. It may have been made, and is paid. */
export function leaveUnknown(
  { stepPrice, ...writing }: Deps,
  attempt: Attempt,
  step: Step,
  reason: string,
): Promise<Step> {
  return writeNext(writing, attempt, async (tx, now) => {
    const credits = await settleStep(tx, writing.charge, step, stepPrice, now)
    const change = { status: 'unknown', reason, credits, reservation: null, ended_at: now } as const
    await changeStep(tx, step, change)
    return { ...step, ...change }
  })
}
