import type { StreamEvent } from '../../http/body/event-stream.ts'
import { MOST_CALLS } from '../transcript/next-move.ts'
import { hasEnded, type Run, type Step } from '../transcript/rows.ts'
import { errorOf } from '../transcript/run-errors.ts'
import { toStep } from './run-wire.ts'

/** Longest text that an event carries, in characters; all of it is read by GET. */
const LONGEST_TEXT = 64 * 1024

function cutText(text: string | null): string | null {
  return text === null ? null : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** An event with its place; the same in every process, since it follows from what is stored. */
export interface RunEvent extends StreamEvent {
  id: number
}

/** The first step of which something may come after an event, with all that were begun together with it. */
export function seqOf(id: number): number {
  return Math.max(0, Math.floor((id - 1) / 2) - MOST_CALLS)
}

/** The place of the beginning of a step that was begun by itself. */
export function startOf(seq: number): number {
  return 2 * seq + 1
}

/** Steps that were begun together: approvals that stand one after the other; every other step is alone. */
function groupsOf(steps: Step[]): Step[][] {
  const groups: Step[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (step.kind === 'approval' && last?.[0]?.kind === 'approval') last.push(step)
    else groups.push([step])
  }
  return groups
}

/**
 * What has happened to a run, in its order, as far as its steps are given: queued 1, started 2, the n-th step 2n + 1 when it
 * began and 2n + 2 when it ended, and its end after the last. Approvals that are asked for together all begin before the first
 * of them has ended, and their ends are told when all of them are decided about.
 */
export function eventsOf(run: Run, steps: Step[]): RunEvent[] {
  const head = { runId: run.id, agentId: run.agent_id }
  const events: RunEvent[] = [{ id: 1, event: 'run.queued', data: head }]
  if (run.started_at !== null) events.push({ id: 2, event: 'run.started', data: head })
  for (const group of groupsOf(steps)) {
    const first = 2 * (group[0]?.seq ?? 0) + 1
    const isOver = group.every(({ status }) => status !== 'started')
    for (const [index, step] of group.entries()) {
      const begun = step.kind === 'approval' ? 'run.approval.required' : 'run.step.started'
      const { id: stepId, seq, kind, name, server_id: serverId, input } = step
      const what = { stepId, seq, kind, name, serverId, arguments: input }
      events.push({ id: first + index, event: begun, data: { ...head, ...what } })
      if (isOver)
        events.push({
          ...{ id: first + group.length + index, event: 'run.step.completed' },
          data: { ...head, step: { ...toStep(step), text: cutText(toStep(step).text) } },
        })
    }
  }
  // The last time; it takes the place of a step that was not made.
  const { resumed_seq: resumed } = run
  if (resumed > 0) events.push({ id: 2 * resumed + 2, event: 'run.resumed', data: head })
  events.sort((a, b) => a.id - b.id)
  if (!hasEnded(run)) return events
  const last = 2 * Math.max(steps.at(-1)?.seq ?? 0, run.resumed_seq) + 3
  const failure = errorOf(run)
  // `reason` stood beside the code before there were details.
  const error = failure && { ...failure, reason: run.error_reason }
  const end = {
    ...head,
    status: run.status,
    output: cutText(run.output),
    finishReason: run.finish_reason,
    error,
  }
  return [...events, { id: last, event: `run.${run.status}`, data: end }]
}
