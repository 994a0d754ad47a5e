import type { Agent, AgentVersion } from '#sdk/postern.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { count } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { ActorName } from '../people/actor-name.tsx'
import { changedTo, useVersions } from './data.ts'
import { type Change, changesOf } from './version-changes.ts'

/** What an agent was before, what changed from one version to the next, and the way back to one. */
export function Versions({ agent, reason }: { agent: Agent; reason: string | undefined }) {
  const list = useVersions(agent.id)
  const { rows } = list
  const returning = useAction(
    async ({ version, agentId, createdBy, createdAt, ...definition }: AgentVersion) =>
      changedTo(await postern.agents.update(agentId, definition)),
  )
  return (
    <Panel title="Versions">
      <Failed failure={list.failure} retry={list.refresh} />
      <Failed failure={returning.failure} />
      {list.data === undefined && list.failure === undefined && <Waiting lines={3} />}
      <ol class="agent-versions">
        {rows.map((version, at) => (
          <li key={version.version}>
            <div class="row">
              <strong>Version {version.version}</strong>
              {at === 0 && <Badge tone="good">current</Badge>}
              <ExactTime at={version.createdAt} />
              <span class="small quiet">
                <ActorName id={version.createdBy} />
              </span>
              {at > 0 && (
                <Button
                  small
                  icon="retry"
                  label={`Restore version ${version.version}`}
                  reason={reason}
                  busy={returning.isBusy}
                  onPress={() => void returning.run(version)}
                />
              )}
            </div>
            <What version={version} before={rows[at + 1]} />
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button small busy={list.isReadingMore} onPress={() => void list.more()}>
          Show older versions
        </Button>
      )}
    </Panel>
  )
}

function What({ version, before }: { version: AgentVersion; before: AgentVersion | undefined }) {
  if (version.version === 1) return <p class="small quiet">First version.</p>
  if (before === undefined) return null
  const changes = changesOf(before, version)
  if (changes.length === 0) return <p class="small quiet">Only the name changed, or nothing.</p>
  return (
    <details>
      <summary class="small">{count(changes.length, 'change')}</summary>
      <Table<Change>
        label={`Changes in version ${version.version}`}
        rows={changes}
        keyOf={(change) => `${change.what} ${change.from} ${change.to}`}
        columns={[
          { title: 'What', tight: true, cell: ({ what }) => what },
          { title: 'Before', cell: ({ from }) => <span class="work-text">{from}</span> },
          { title: 'After', cell: ({ to }) => <span class="work-text">{to}</span> },
        ]}
      />
    </details>
  )
}
