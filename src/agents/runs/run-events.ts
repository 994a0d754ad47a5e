import type { StreamEvent } from '../../http/body/event-stream.ts'
import { MOST_CALLS } from '../transcript/next-move.ts'
import { groupOf, hasEnded, type Run, type Step } from '../transcript/rows.ts'
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

/** Steps that were begun together: approvals of one answer, or calls that are made side by side. */
function groupsOf(steps: Step[]): Step[][] {
  return [...Map.groupBy(steps, groupOf).values()]
}

/**
 * What has happened to a run, in its order, as far as its steps are given: queued 1, started 2, the n-th step 2n + 1 when it
 * began and 2n + 2 when it ended, and its end after the last. Steps that are begun together all begin before the first of them
 * ends, and end in their order: that one has ended is told when all those before it have.
 */
export function eventsOf(run: Run, steps: Step[]): RunEvent[] {
  const head = { runId: run.id, agentId: run.agent_id }
  const events: RunEvent[] = [{ id: 1, event: 'run.queued', data: head }]
  if (run.started_at !== null) events.push({ id: 2, event: 'run.started', data: head })
  for (const group of groupsOf(steps)) {
    const first = 2 * (group[0]?.seq ?? 0) + 1
    const firstOpen = group.findIndex(({ status }) => status === 'started')
    const ended = firstOpen < 0 ? group.length : firstOpen
    for (const [index, step] of group.entries()) {
      const begun = step.kind === 'approval' ? 'run.approval.required' : 'run.step.started'
      const { id: stepId, seq, kind, name, server_id: serverId, input } = step
      const what = { stepId, seq, kind, name, serverId, arguments: input }
      events.push({ id: first + index, event: begun, data: { ...head, ...what } })
      if (index < ended)
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
