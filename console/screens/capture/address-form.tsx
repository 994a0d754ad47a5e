import type { Webhook } from '#sdk/postern.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

/** Gives a webhook an address at which it can be called from outside. */
export function AddressForm({ webhook: { id } }: { webhook: Webhook }) {
  const form = useForm({ endpointPath: '' }, async ({ endpointPath }) => {
    put(`webhooks/${id}`, await postern.webhooks.update(id, { endpointPath: endpointPath.trim() }))
    outdate('webhooks')
    toast('Inbound address created')
  })
  return (
    <Panel
      title="No inbound address yet"
      note="Anybody who knows the address can call it without a key. Each call becomes an event for this webhook only."
    >
      <Form of={form} action="Create the address">
        <TextField
          of={form}
          name="endpointPath"
          label="Inbound address"
          mono
          placeholder="shop-orders"
          hint={`${baseUrl}/v1/webhooks/… : 3 to 64 lowercase letters, digits and hyphens.`}
        />
      </Form>
    </Panel>
  )
}
