import type { IdentityProvider } from '#sdk/postern.ts'
import { postern } from '../../app/data/postern.ts'
import { exactTime, millisOf, textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'

const OVERLAPS = [
  ['30', '30 days more'],
  ['7', 'a week more'],
  ['90', '90 days more'],
  ['0', 'not at all: they have leaked'],
] as const

/** Asks how long the present keys for a SAML provider still work, and replaces them. */
export function RotateKeys({
  provider: { id, name },
  onClose,
}: {
  provider: IdentityProvider
  onClose: () => void
}) {
  const form = useForm({ overlapDays: '30' }, async ({ overlapDays }) => {
    const { previousEndsAt } = await postern.identityProviders.rotateKeys(String(id), {
      overlapDays: Number(overlapDays),
    })
    toast(`The keys have changed; the ones before end on ${exactTime(millisOf(previousEndsAt) ?? 0)}`)
    onClose()
  })
  return (
    <Dialog title={`Rotate the keys for ${textOf(name)}`} onClose={onClose}>
      <Form of={form} action="Rotate" onCancel={onClose}>
        <p>
          Postern gets new keys for encrypted assertions and for its signatures. Enter their certificates,
          which the set-up links to, at the provider before the present keys end.
        </p>
        <SelectField of={form} name="overlapDays" label="The present keys work" options={OVERLAPS} />
      </Form>
    </Dialog>
  )
}
