import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to, useGo } from '../../app/router.ts'
import { AreaField, Form, TextField, useForm } from '../../parts/form.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { JsonField, unreadable } from './type-form.tsx'

const EXAMPLE = { orderId: 'ord_1', total: 12.5 }
const SCHEMA = {
  type: 'object',
  properties: { orderId: { type: 'string' }, total: { type: 'number', minimum: 0 } },
  required: ['orderId', 'total'],
}

/** Registers a type of event of the organization's own. */
export function Screen() {
  const goOn = useGo()
  const mayNot = useAccess().reason({ permission: 'event_types:write', module: 'webhooks' })
  const start = {
    name: '',
    description: '',
    schema: JSON.stringify(SCHEMA, null, 2),
    example: JSON.stringify(EXAMPLE, null, 2),
  }
  const form = useForm(start, async ({ name, description, schema, example }) => {
    const { name: made } = await postern.eventTypes.create({
      name: name.trim(),
      description: description.trim(),
      schema: JSON.parse(schema),
      example: JSON.parse(example),
    })
    outdate('event-types')
    toast('Event type created')
    goOn(to(`/event-types/${made}`), { replace: true })
  })
  return (
    <Page
      title="New event type"
      lead="Events of this type are checked against the schema before they are published."
      back={{ href: to('/event-types'), label: 'Event types' }}
    >
      <Panel>
        <Form
          of={form}
          action="Create event type"
          reason={mayNot ?? unreadable(form.values)}
          onCancel={() => go(to('/event-types'))}
        >
          <TextField
            of={form}
            name="name"
            label="Name"
            mono
            placeholder="order.paid"
            hint="Lowercase words with dots: the object, then what happened. For example order.paid."
          />
          <AreaField of={form} name="description" label="Description" rows={2} optional />
          <JsonField of={form} name="schema" label="Schema" hint="JSON Schema of the data." />
          <JsonField
            of={form}
            name="example"
            label="Example"
            hint="Used by webhook tests and the composer."
          />
        </Form>
      </Panel>
    </Page>
  )
}
