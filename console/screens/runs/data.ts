import type { Run } from '#sdk/postern.ts'
import { amend, outdate } from '../../app/data/cache.ts'
import { amendRow, type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** What of the runs is looked at. */
export interface Sought {
  agentId: string
  status: string
  since: string | undefined
}

export function useRuns({ agentId, status, since }: Sought): Listed<Run> {
  const query = {
    limit: 50,
    ...(agentId === '' ? {} : { agentId }),
    ...(status === '' ? {} : { status: status as Run['status'] }),
    ...(since === undefined ? {} : { since }),
  }
  const key = runsKey({ agentId, status, since })
  const list = useList(key, (how) => postern.runs.list(query, how))
  useLive(['run'], ({ event, data }) => {
    if (event === 'gap') return outdate('run')
    const run = data as Run
    const fits = (agentId === '' || run.agentId === agentId) && (status === '' || run.status === status)
    // Of a new one what was asked is not in the stream.
    const isThere = list.rows.some(({ id }) => id === run.id)
    if (isThere && fits) amendRow(key, run, false)
    else if (isThere || fits) outdate(key)
    amend<Run>(`run ${run.id}`, (before) => ({ ...before, ...run, approval: before.approval }))
  })
  return list
}

const runsKey = (sought: Sought) => `runs ${JSON.stringify(sought)}`

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

const REASONS: Record<string, string> = {
  timeout: 'it took longer than it may',
  max_steps: 'it needed more steps than it may make',
  context_length: 'what it had to read is longer than the model takes',
  refused: 'the model refused',
  length: 'its answer was cut at its length',
  cut: 'the model’s answer broke off',
  quota_exceeded: 'the account at the model’s provider is empty',
  provider_error: 'the model’s endpoint reported an error',
  bad_answer: 'the model’s endpoint answered with something else',
  crashed_repeatedly: 'the process that ran it died again and again',
  unreachable: 'the model’s endpoint cannot be reached',
  model_not_configured: 'the server does not have the model any more',
}

/** Why a run failed, as part of a sentence. */
export function reasonOf(reason: unknown): string {
  return REASONS[String(reason)] ?? String(reason ?? '').replaceAll('_', ' ')
}
