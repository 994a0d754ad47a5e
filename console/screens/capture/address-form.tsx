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
    toast('The inbound address is open')
  })
  return (
    <Panel
      title="It has no inbound address yet"
      note="Who knows the address can call it without a key; each call becomes an event for this webhook alone."
    >
      <Form of={form} action="Open the address">
        <TextField
          of={form}
          name="endpointPath"
          label="Inbound address"
          mono
          placeholder="shop-orders"
          hint={`${baseUrl}/v1/webhooks/… : 3 to 64 small letters, digits and hyphens, which nobody else has here.`}
        />
      </Form>
    </Panel>
  )
}
