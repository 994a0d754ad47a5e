import type { ComponentChildren } from 'preact'
import { to } from '../../app/router.ts'
import { duration, number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Shares } from '../../parts/bar.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useAgentNames } from '../agents/data.ts'
import { useRuns } from './data.ts'

/** A live list of runs, of one agent or of all. */
export function RunTable({
  agentId = '',
  status = '',
  since,
  title,
  empty = <p class="quiet">Nothing yet.</p>,
}: {
  agentId?: string
  status?: string
  since?: string | undefined
  title?: string
  empty?: ComponentChildren
}) {
  const list = useRuns({ agentId, status, since })
  const nameOf = useAgentNames(agentId === '' ? list.rows.map((run) => run.agentId) : [])
  const many = (...wanted: string[]) => list.rows.filter((run) => wanted.includes(run.status)).length
  return (
    <Panel {...(title === undefined ? {} : { title })} flush>
      {list.rows.length > 0 && (
        <div class="runs-shares">
          <Shares
            label="Runs shown"
            parts={[
              { name: 'succeeded', value: many('succeeded'), tone: 'good' },
              { name: 'failed', value: many('failed'), tone: 'bad' },
              { name: 'under way', value: many('queued', 'running', 'waiting'), tone: 'wait' },
              { name: 'cancelled', value: many('cancelled'), tone: 'held' },
            ]}
          />
        </div>
      )}
      <ListTable
        label="Runs"
        noun={['run', 'runs']}
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => to(`/runs/${id}`)}
        empty={empty}
        columns={[
          {
            title: 'Input',
            cell: ({ input, agentId: of }) => (
              <span class="work-two">
                <span class="runs-input">{textOf(input)}</span>
                {agentId === '' && <span class="small quiet">{nameOf(of)}</span>}
              </span>
            ),
          },
          { title: 'Status', tight: true, cell: (run) => <Status of={run.status} /> },
          { title: 'Steps', tight: true, end: true, minor: true, cell: ({ steps }) => number(steps) },
          { title: 'Credits', tight: true, end: true, minor: true, cell: ({ credits }) => number(credits) },
          {
            title: 'Duration',
            tight: true,
            end: true,
            minor: true,
            cell: ({ durationMs }) => (durationMs === null ? '–' : duration(durationMs)),
          },
          { title: 'Started', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Panel>
  )
}
