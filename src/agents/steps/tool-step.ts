import { createCoalescedRuns } from '../../core/coalesced-runs.ts'
import type { AskedCall } from '../models/model.ts'
import type { Tool, ToolOutcome } from '../tools/tool.ts'
import { digestOf, PROCESS_DIED, type Step } from '../transcript/rows.ts'
import { sanitize } from '../transcript/transcript.ts'
import type { Attempt } from './attempt.ts'
import type { StepDeps } from './step-deps.ts'
import {
  changeStep,
  insertStep,
  newStep,
  repeatSteps,
  settleStep,
  type WriteDeps,
  writeNext,
} from './step-store.ts'
import type { TurnDeps } from './turn-deps.ts'

type Deps = WriteDeps & Pick<StepDeps, 'stepPrice'>

/** A tool call with its arguments. */
export interface Order {
  seq: number
  call: AskedCall
  tool: Tool
  args: Record<string, unknown>
  /** The step of the call, where a process died during it. */
  begun?: Step
}

/** Most tries of a repeatable call with an unknown outcome. */
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
 * Writes a step for a call that is not made, with a reason that the model reads.
 * @param said the reason of the person who refused it
 * @throws LostRunError
 */
export function refuseCall(
  writing: WriteDeps,
  attempt: Attempt,
  { seq, call }: Pick<Order, 'seq' | 'call'>,
  reason: keyof typeof TEXT_OF,
  said?: string | null,
): Promise<Step> {
  const text = TEXT_OF[reason] ?? ''
  const output = reason === 'denied' && said ? `${text} The reason given: ${said}` : text
  const name = call.name.slice(0, 128)
  return writeNext(writing, attempt, async (tx, now) => {
    const step = newStep(
      {
        ...{ organization_id: attempt.run.organization_id, run_id: attempt.run.id, seq },
        kind: 'tool',
        name,
        call_id: call.id,
      },
      now,
    )
    const refused: Step = { ...step, status: 'failed', input: call.arguments, output, reason, ended_at: now }
    await insertStep(tx, refused)
    return refused
  })
}

/**
 * Calls tools, several side by side. Steps are written before their calls; each outcome is written while other calls
 * are still in progress, so that it survives a crash. Steps that had begun already begin again.
 * @returns the steps with their outcomes, in the order of the orders
 * @throws LostRunError; ApiError INSUFFICIENT_CREDITS before anything is called
 */
export async function makeToolSteps(
  deps: Deps & Pick<TurnDeps, 'writer'>,
  attempt: Attempt,
  orders: Order[],
): Promise<Step[]> {
  const { clock, stepPrice, writer } = deps
  const preparing = orders.map(({ tool }) => tool.prepare())
  // Where the steps cannot be written, no code awaits the preparations, and their failures do not matter.
  for (const one of preparing) one.catch(() => {})
  const steps = await begin(deps, attempt, orders)
  let underWay = orders.length
  const settling = createCoalescedRuns(async () => {
    // The run's next move writes the last outcome, and outcomes that cannot be written now.
    if (underWay > 0) await writer.settle(attempt).catch(() => {})
  })

  async function make({ tool, args }: Order, index: number): Promise<Step> {
    const step = steps[index]
    const call = await (preparing[index] ?? tool.prepare())
    if (step === undefined) throw new Error(`no step was written for the call ${index}`)
    const outcome = await call(args, {
      stepId: step.id,
      signal: attempt.signal,
      deadline: attempt.run.deadline_at ?? Infinity,
    })
    const at = clock.now()
    const ended = { ...toColumns(outcome), reservation: null, ended_at: at }
    attempt.addUnwritten({ step, ended, cost: stepPrice, at })
    return { ...step, ...ended }
  }

  const made = await Promise.allSettled(
    orders.map((order, index) =>
      make(order, index).finally(() => {
        underWay -= 1
        settling.ask()
      }),
    ),
  )
  await settling.idle()
  return made.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

function toColumns(outcome: ToolOutcome): Pick<Step, 'status' | 'output' | 'reason'> {
  if (outcome.status === 'unknown') return { status: 'unknown', output: null, reason: outcome.reason }
  const output = sanitize(outcome.text)
  return { status: outcome.status, output, reason: 'reason' in outcome ? outcome.reason : null }
}

function begin(deps: Deps & Pick<TurnDeps, 'writer'>, attempt: Attempt, orders: Order[]): Promise<Step[]> {
  const { clock, writer } = deps
  const { run } = attempt
  const begun = orders.flatMap((order) => order.begun ?? [])
  if (begun.length > 0)
    return repeatSteps(
      deps,
      attempt,
      begun.map((step) => ({ begun: step })),
    )
  const now = clock.now()
  const first_seq = orders.length > 1 ? (orders[0]?.seq ?? null) : null
  const beginnings = orders.map(({ seq, call, tool }) => {
    const step = newStep(
      {
        ...{
          organization_id: run.organization_id,
          run_id: run.id,
          seq,
          first_seq,
          kind: 'tool',
          name: tool.name,
          server_id: tool.serverId,
        },
        ...{ call_id: call.id, input: call.arguments, input_digest: digestOf(call.arguments) },
        definition_digest: tool.definitionDigest,
      },
      now,
    )
    return { step }
  })
  return writer.begin(attempt, beginnings)
}

/** Whether a call may be repeated after its process died. */
export function mayRepeat(begun: Step, { isRepeatable, definitionDigest }: Tool): boolean {
  return isRepeatable && begun.tries < MOST_TRIES && definitionDigest === begun.definition_digest
}

/** Marks calls as unknown after their process died. They may have been executed, so they are charged. */
export function markUnknown(
  { stepPrice, ...writing }: Deps,
  attempt: Attempt,
  steps: Step[],
): Promise<Step[]> {
  return writeNext(writing, attempt, async (tx, now) => {
    const left: Step[] = []
    for (const step of steps) {
      const credits = await settleStep(tx, writing.charge, step, stepPrice, now)
      const change = {
        status: 'unknown',
        reason: PROCESS_DIED,
        credits,
        reservation: null,
        ended_at: now,
      } as const
      await changeStep(tx, step, change)
      left.push({ ...step, ...change })
    }
    return left
  })
}
