import { useEffect, useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, Form, SelectField, useForm } from '../../parts/form.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useAgents } from '../agents/data.ts'
import { hasEnded } from '../runs/data.ts'
import { Steps } from '../work/steps.tsx'

/** Conversations with agents. */
export function Screen() {
  const list = useList('conversations', (how) => postern.conversations.list({ limit: 50 }, how))
  const agents = useAgents()
  const [isNew, setNew] = useState(false)
  const { reason: reasonOf } = useAccess()
  const reason =
    reasonOf({ permission: 'conversations:write' }) ??
    reasonOf({ permission: 'runs:write' }) ??
    reasonOf({ permission: 'agents:read' }) ??
    (agents.data !== undefined && agents.rows.length === 0
      ? 'There is no agent yet. Create one first.'
      : undefined)
  useLive(['run'], ({ event, data }) => {
    if (event === 'gap' || (data.conversationId !== null && hasEnded(data))) outdate('conversations')
  })
  useActions([{ label: 'New conversation', run: () => setNew(true), reason }])
  const button = (
    <Button kind="primary" icon="plus" reason={reason} onPress={() => setNew(true)}>
      New conversation
    </Button>
  )
  return (
    <Page
      title="Conversations"
      lead="Each question is answered with the earlier messages in mind."
      actions={button}
    >
      <Panel flush>
        <ListTable
          label="Conversations"
          noun={['conversation', 'conversations']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/conversations/${id}`)}
          empty={
            <Empty icon="conversation" title="No conversation yet">
              <Steps at="ask" />
              {button}
              <p>Or in a terminal:</p>
              <Command
                text={`curl ${baseUrl}/v1/conversations \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" -d '{"title":"Prices"}'`}
              />
            </Empty>
          }
          columns={[
            { title: 'About', cell: ({ title }) => (title === null ? 'Untitled' : textOf(title)) },
            { title: 'Questions', tight: true, end: true, cell: ({ turns }) => turns },
            { title: 'Last', tight: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          ]}
        />
      </Panel>
      {isNew && <New onClose={() => setNew(false)} />}
    </Page>
  )
}

function New({ onClose }: { onClose: () => void }) {
  const goOn = useGo()
  const agents = useAgents().rows
  const first = agents[0]?.id ?? ''
  const form = useForm({ agentId: first, input: '' }, async ({ agentId, input }) => {
    const title = input.trim().replace(/\s+/g, ' ').slice(0, 80).trim()
    const { id } = await postern.conversations.create(title === '' ? {} : { title })
    outdate('conversations')
    await postern.agents.run(agentId, { input, conversationId: id })
    onClose()
    goOn(to(`/conversations/${id}`, { agent: agentId }))
  })
  // The list of agents may come later than the dialog.
  useEffect(() => {
    if (form.values.agentId === '' && first !== '') form.set('agentId', first)
  }, [first])
  return (
    <Dialog title="New conversation" onClose={onClose}>
      <Form
        of={form}
        action="Ask"
        reason={
          form.values.input.trim() === ''
            ? 'Enter a text first'
            : form.values.agentId === ''
              ? 'The agents are still loading'
              : undefined
        }
        onCancel={onClose}
      >
        <SelectField
          of={form}
          name="agentId"
          label="With"
          options={agents.map(({ id, name }) => [id, textOf(name)] as const)}
        />
        <AreaField of={form} name="input" label="Your question" rows={4} placeholder="What does it cost?" />
      </Form>
    </Dialog>
  )
}
