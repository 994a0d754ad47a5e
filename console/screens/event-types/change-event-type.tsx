import type { EventType, UpdateEventTypeBody } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { AreaField, Form, useForm } from '../../parts/form.tsx'
import { Loading, Notice } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { useEventType } from '../events/data.ts'
import { JsonField, unreadable } from './type-form.tsx'

/** Changes a type of the organization's own. */
export function Screen({ params: { name = '' } }: ScreenProps) {
  const { data, failure, refresh } = useEventType(name)
  return (
    <Page title={`Change ${textOf(name)}`} back={{ href: to(`/event-types/${name}`), label: textOf(name) }}>
      {data !== undefined ? (
        <Change key={data.name} type={data} />
      ) : (
        <Loading failure={failure} retry={refresh} lines={8} />
      )}
    </Page>
  )
}

function Change({ type }: { type: EventType }) {
  const goOn = useGo()
  const { name, description, schema, example, builtIn } = type
  const mayNot = useAccess().reason({ permission: 'event_types:write', module: 'webhooks' })
  const before = {
    name,
    description: textOf(description),
    schema: JSON.stringify(schema, null, 2),
    example: JSON.stringify(example, null, 2),
  }
  const form = useForm(before, async (values) => {
    const body: UpdateEventTypeBody = {
      ...(values.description === before.description ? {} : { description: values.description.trim() }),
      ...(values.schema === before.schema ? {} : { schema: JSON.parse(values.schema) }),
      ...(values.example === before.example ? {} : { example: JSON.parse(values.example) }),
    }
    put(`event-types/${name}`, await postern.eventTypes.update(name, body))
    outdate('event-types')
    toast('Event type saved')
    goOn(to(`/event-types/${name}`), { replace: true })
  })
  return (
    <>
      <Notice tone="wait" icon="alert" title="Inform your receivers first">
        New events are checked against the new schema. Events published before stay unchanged and are
        delivered, retried and replayed as before.
      </Notice>
      <Panel>
        <Form
          of={form}
          action="Save"
          onlyChanged
          reason={mayNot ?? (builtIn ? 'Built-in types cannot be changed' : unreadable(form.values))}
          onCancel={() => go(to(`/event-types/${name}`))}
        >
          <AreaField of={form} name="description" label="Description" rows={2} optional />
          <JsonField of={form} name="schema" label="Schema" hint="JSON Schema of the data." />
          <JsonField of={form} name="example" label="Example" hint="It must match the schema." />
        </Form>
      </Panel>
    </>
  )
}
