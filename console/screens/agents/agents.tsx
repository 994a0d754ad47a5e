import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { go, to } from '../../app/router.ts'
import { count, textOf } from '../../app/words.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Steps } from '../work/steps.tsx'
import { useAgents } from './data.ts'

/** Every agent of the organization. */
export function Screen() {
  const list = useAgents()
  const reason = useAccess().reason({ permission: 'agents:write' })
  useActions([{ label: 'New agent', run: () => go(to('/agents/new')), reason }])
  const button = (
    <LinkButton kind="primary" icon="plus" href={to('/agents/new')} reason={reason}>
      New agent
    </LinkButton>
  )
  return (
    <Page
      title="Agents"
      lead="An agent answers with a model, your knowledge bases and tools."
      actions={button}
    >
      <Panel flush>
        <ListTable
          label="Agents"
          noun={['agent', 'agents']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/agents/${id}`)}
          empty={
            <Empty icon="agent" title="No agent yet">
              <Steps at="agent" />
              {button}
              <p>Or in a terminal. The built-in model quotes from your knowledge bases and needs no key:</p>
              <Command
                text={`curl ${baseUrl}/v1/agents \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"Helper","knowledgeBaseIds":["knb_…"]}'`}
              />
            </Empty>
          }
          columns={[
            { title: 'Name', cell: ({ name }) => textOf(name) },
            { title: 'Model', cell: ({ model }) => textOf(model) },
            {
              title: 'Uses',
              cell: ({ knowledgeBaseIds, tools }) =>
                `${count(knowledgeBaseIds.length, 'base')}, ${count(tools.length, 'tool')}`,
            },
            { title: 'Version', tight: true, end: true, minor: true, cell: ({ version }) => version },
            { title: 'Updated', tight: true, minor: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          ]}
        />
      </Panel>
    </Page>
  )
}
