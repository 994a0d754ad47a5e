import { useEffect } from 'preact/hooks'
import type { Webhook } from '#sdk/postern.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { EventsField } from './events-field.tsx'

function valuesOf({ url, description, events, maxInFlight, maxPerSecond, endpointPath }: Webhook) {
  return {
    url,
    description: description ?? '',
    events,
    endpointPath: endpointPath ?? '',
    maxInFlight: String(maxInFlight),
    maxPerSecond: maxPerSecond === null ? '' : String(maxPerSecond),
  }
}

/** What a webhook is set to, to be changed. */
export function Settings({ webhook, reason }: { webhook: Webhook; reason: string | undefined }) {
  const form = useForm(valuesOf(webhook), async (values) => {
    const before = valuesOf(webhook)
    const body = {
      ...(values.url === before.url ? {} : { url: values.url.trim() }),
      ...(String(values.events) === String(before.events) ? {} : { events: values.events }),
      ...(values.description === before.description
        ? {}
        : { description: values.description.trim() || null }),
      ...(values.endpointPath === before.endpointPath
        ? {}
        : { endpointPath: values.endpointPath.trim() || null }),
      ...(values.maxInFlight === before.maxInFlight ? {} : { maxInFlight: Number(values.maxInFlight) }),
      ...(values.maxPerSecond === before.maxPerSecond
        ? {}
        : { maxPerSecond: values.maxPerSecond === '' ? null : Number(values.maxPerSecond) }),
    }
    put(`webhooks/${webhook.id}`, await postern.webhooks.update(webhook.id, body))
    outdate('webhooks')
    toast('Settings saved')
  })
  // A change by another person is shown; fields that are being edited keep what was typed.
  useEffect(() => {
    form.reset(valuesOf(webhook))
  }, [webhook.updatedAt])
  return (
    <Form of={form} action="Save" reason={reason} onlyChanged>
      <TextField of={form} name="url" label="URL" inputMode="url" mono />
      <TextField of={form} name="description" label="Description" optional />
      <EventsField of={form} />
      <details>
        <summary>Limits and inbound address</summary>
        <div class="stack webhook-more">
          <TextField
            of={form}
            name="maxInFlight"
            label="Maximum calls at once"
            type="number"
            hint="1 to 256. Fewer are made while calls fail."
          />
          <TextField
            of={form}
            name="maxPerSecond"
            label="Maximum calls per second"
            type="number"
            optional
            hint="Deliveries above it wait; they do not fail."
          />
          <TextField
            of={form}
            name="endpointPath"
            label="Inbound address"
            mono
            optional
            hint="Other systems can publish to /v1/webhooks/ followed by this."
          />
        </div>
      </details>
    </Form>
  )
}
