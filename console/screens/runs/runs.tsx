import { useMemo } from 'preact/hooks'
import { DAY, HOUR, now, toIso } from '../../app/clock.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useAgents } from '../agents/data.ts'
import { Steps } from '../work/steps.tsx'
import { RunTable } from './run-table.tsx'

const STATES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
const SPANS: Record<string, number> = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY }

/** What the agents of the organization do and did. */
export function Screen() {
  const [values, change] = useFilters(['status', 'agent', 'since'])
  const agents = useAgents().rows
  const span = SPANS[values.since]
  // The moment is fixed while the filter is the same, because another one would be another list.
  const since = useMemo(() => (span === undefined ? undefined : toIso(now() - span)), [span])
  const isFiltered = Object.values(values).some((value) => value !== '')
  return (
    <Page title="Runs" lead="Every run of an agent, with its steps.">
      <Filters
        values={values}
        onChange={change}
        rows={[
          {
            name: 'status',
            label: 'Status',
            kind: 'choice',
            options: STATES.map((one) => [one, one] as const),
          },
          {
            name: 'agent',
            label: 'Agent',
            kind: 'choice',
            options: agents.map(({ id, name }) => [id, textOf(name)] as const),
          },
          { name: 'since', label: 'Started', kind: 'span' },
        ]}
      />
      <RunTable
        agentId={values.agent}
        status={values.status}
        since={since}
        empty={
          isFiltered ? (
            <Empty icon="filter" title="No matching runs">
              <p>Clear a filter to see more.</p>
            </Empty>
          ) : (
            <Empty icon="run" title="No runs yet">
              <Steps at="ask" />
              <LinkButton kind="primary" icon="agent" href={to('/agents')}>
                Show agents
              </LinkButton>
              <p>Or in a terminal, waiting for the answer:</p>
              <Command
                text={`curl ${baseUrl}/v1/agents/agt_…/runs \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" -H "Prefer: wait=30" \\
  -d '{"input":"What does it cost?"}'`}
              />
            </Empty>
          )
        }
      />
    </Page>
  )
}
