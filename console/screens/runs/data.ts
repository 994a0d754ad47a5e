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
    amend<Run>(`run ${run.id}`, (before) => ({
      ...before,
      ...run,
      approval: before.approval,
      approvals: before.approvals,
    }))
  })
  return list
}

const runsKey = (sought: Sought) => `runs ${JSON.stringify(sought)}`

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}
