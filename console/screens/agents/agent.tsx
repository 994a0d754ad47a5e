import { useEffect, useState } from 'preact/hooks'
import type { Agent } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { AreaField, Form, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Failed, Loading } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { FilesField } from '../runs/files-field.tsx'
import { RunTable } from '../runs/run-table.tsx'
import { changedTo, useAgent } from './data.ts'
import { AgentFields } from './fields.tsx'
import { bodyOf, valuesOf } from './values.ts'
import { Versions } from './versions.tsx'

/** One agent: a form to ask it, its settings, versions and runs. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data: agent, failure, refresh } = useAgent(id)
  if (agent === undefined)
    return (
      <Page title="Agent" back={{ href: to('/agents'), label: 'Agents' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known agent={agent} />
}

function Known({ agent }: { agent: Agent }) {
  const goOn = useGo()
  const { id, version } = agent
  const name = textOf(agent.name)
  const access = useAccess()
  const reason = access.reason({ permission: 'agents:write' })
  const mayNotTalk = access.reason({ permission: 'conversations:write' })
  const [isDeleting, setDeleting] = useState(false)
  const talking = useAction(async () => {
    const { id: conversation } = await postern.conversations.create({})
    outdate('conversations')
    goOn(to(`/conversations/${conversation}`, { agent: id }))
  })
  useActions([{ label: 'Start a conversation', run: () => void talking.run(), reason: mayNotTalk }])
  return (
    <Page
      title={name}
      back={{ href: to('/agents'), label: 'Agents' }}
      mark={<Badge>version {version}</Badge>}
      lead={textOf(agent.model)}
      actions={
        <>
          <Button
            kind="primary"
            icon="conversation"
            busy={talking.isBusy}
            reason={mayNotTalk}
            onPress={() => void talking.run()}
          >
            Chat
          </Button>
          <Menu
            label="More"
            items={[
              {
                label: 'Delete the agent',
                icon: 'trash',
                danger: true,
                reason,
                run: () => setDeleting(true),
              },
            ]}
          />
        </>
      }
    >
      <Failed failure={talking.failure} />
      <div class="work-columns">
        <div class="stack">
          <Ask agent={agent} />
          {access.may('runs:read') && <RunTable agentId={id} title="Runs" />}
        </div>
        <div class="stack work-aside">
          <Panel title="Details">
            <Facts
              rows={[
                ['ID', <IdText key="id" id={id} />],
                ['Version', `${version}; each change makes one, and a run keeps the one that it began with`],
                ['Created', <ExactTime key="made" at={agent.createdAt} />],
                ['Updated', <ExactTime key="changed" at={agent.updatedAt} />],
              ]}
            />
          </Panel>
        </div>
      </div>
      <Settings agent={agent} reason={reason} />
      <Versions agent={agent} reason={reason} />
      {isDeleting && (
        <Confirm
          title="Delete this agent?"
          action="Delete"
          danger
          name={name}
          work={async () => {
            await postern.agents.delete(id)
            outdate('agents')
            toast('Agent deleted')
            goOn(to('/agents'), { replace: true })
          }}
          onClose={() => setDeleting(false)}
        >
          <p>Runs that have started continue. The record of all runs is kept.</p>
        </Confirm>
      )}
    </Page>
  )
}

function Ask({ agent }: { agent: Agent }) {
  const goOn = useGo()
  const mayNot = useAccess().reason({ permission: 'runs:write' })
  const form = useForm({ input: '', fileIds: [] as string[] }, async ({ input, fileIds }) => {
    const run = await postern.agents.run(agent.id, { input, fileIds })
    outdate('runs')
    goOn(to(`/runs/${run.id}`))
  })
  return (
    <Panel title="Try the agent">
      <Form
        of={form}
        action="Run"
        reason={mayNot ?? (form.values.input.trim() === '' ? 'Enter a text first' : undefined)}
      >
        <AreaField of={form} name="input" label="Input" rows={3} placeholder="What does it cost?" />
        <FilesField of={form} name="fileIds" />
      </Form>
    </Panel>
  )
}

function Settings({ agent, reason }: { agent: Agent; reason: string | undefined }) {
  const form = useForm(valuesOf(agent), async (values) => {
    const changed = await postern.agents.update(agent.id, bodyOf(values, agent))
    changedTo(changed)
  })
  useEffect(() => {
    form.reset(valuesOf(agent))
  }, [agent.version])
  return (
    <Panel title="Settings">
      <Form of={form} action="Save as new version" reason={reason} onlyChanged>
        <AgentFields of={form} />
      </Form>
    </Panel>
  )
}
