import type { Run } from '#sdk/postern.ts'
import { amend, outdate } from '../../app/data/cache.ts'
import { amendRow, type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** The filter of the list of runs. */
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
    // The stream does not carry the input of a new run.
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
