import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to, useGo } from '../../app/router.ts'
import { Form, useForm } from '../../parts/form.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { AgentFields } from './fields.tsx'
import { bodyOf, NEW } from './values.ts'

/** Makes an agent. */
export function Screen() {
  const goOn = useGo()
  const reason = useAccess().reason({ permission: 'agents:write' })
  const form = useForm(NEW, async (values) => {
    const { id } = await postern.agents.create(bodyOf(values))
    outdate('agents')
    goOn(to(`/agents/${id}`), { replace: true })
  })
  return (
    <Page title="New agent" back={{ href: to('/agents'), label: 'Agents' }}>
      <Panel>
        <Form of={form} action="Create agent" reason={reason} onCancel={() => go(to('/agents'))}>
          <AgentFields of={form} />
        </Form>
      </Panel>
    </Page>
  )
}
