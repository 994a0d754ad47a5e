import type { StreamEvent } from '../../http/body/event-stream.ts'
import { MOST_CALLS } from '../transcript/next-move.ts'
import { groupOf, hasEnded, type Run, type Step } from '../transcript/rows.ts'
import { errorOf } from '../transcript/run-errors.ts'
import { toStep } from './run-wire.ts'

/** Longest text in an event, in characters; GET returns all of it. */
const LONGEST_TEXT = 64 * 1024

function cutText(text: string | null): string | null {
  return text === null ? null : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** An event with its position. Positions follow from the stored rows, so they are equal in every process. */
export interface RunEvent extends StreamEvent {
  id: number
}

/** The first step that may have an event after `id`, including steps that began together with it. */
export function seqOf(id: number): number {
  return Math.max(0, Math.floor((id - 1) / 2) - MOST_CALLS)
}

/** The position of the start of a step that began alone. */
export function startOf(seq: number): number {
  return 2 * seq + 1
}

/** Groups of steps that began together: approvals of one answer, or calls side by side. */
function groupsOf(steps: Step[]): Step[][] {
  return [...Map.groupBy(steps, groupOf).values()]
}

/**
 * The events of a run in order, for the given steps. Positions: queued 1, started 2, the n-th step 2n + 1 at its start
 * and 2n + 2 at its end, then the end of the run. Steps that began together all start before the first of them ends;
 * each is reported as ended once all steps before it have ended.
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
  // The last resumption; it has the position of a step that was not made.
  const { resumed_seq: resumed } = run
  if (resumed > 0) events.push({ id: 2 * resumed + 2, event: 'run.resumed', data: head })
  events.sort((a, b) => a.id - b.id)
  if (!hasEnded(run)) return events
  const last = 2 * Math.max(steps.at(-1)?.seq ?? 0, run.resumed_seq) + 3
  const failure = errorOf(run)
  // `reason` also stands beside `code`, for older clients.
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
