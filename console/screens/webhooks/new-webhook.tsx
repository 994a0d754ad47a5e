import { useState } from 'preact/hooks'
import type { CreatedWebhook } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to } from '../../app/router.ts'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { EventsField } from './events-field.tsx'

/** Registers a webhook, and shows its secret once. */
export function Screen() {
  const [made, setMade] = useState<CreatedWebhook | undefined>()
  const reason = useAccess().reason({ permission: 'webhooks:write' })
  const form = useForm({ url: '', description: '', events: ['*'] }, async ({ url, description, events }) => {
    const body = {
      url: url.trim(),
      events,
      ...(description.trim() === '' ? {} : { description: description.trim() }),
    }
    setMade(await postern.webhooks.create(body))
    outdate('webhooks')
  })
  return (
    <Page
      title="New webhook"
      lead="A URL that accepts POST and responds with a status of 200 to 299."
      back={{ href: to('/webhooks'), label: 'Webhooks' }}
    >
      <Panel>
        <Form of={form} action="Create webhook" reason={reason} onCancel={() => go(to('/webhooks'))}>
          <TextField
            of={form}
            name="url"
            label="URL"
            inputMode="url"
            mono
            placeholder="https://example.com/hooks"
          />
          <TextField of={form} name="description" label="Description" optional />
          <EventsField of={form} />
        </Form>
      </Panel>
      {made && (
        <SecretOnce
          title="Webhook created"
          secret={made.secret}
          what="signing secret"
          onClose={() => go(to(`/webhooks/${made.id}`), { replace: true })}
        >
          <p class="quiet">Your receiver verifies calls with it. You can rotate it later.</p>
        </SecretOnce>
      )}
    </Page>
  )
}
