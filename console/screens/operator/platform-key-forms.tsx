import type { CreatedPlatformKey, PlatformKey } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form, TextField, useForm } from '../../parts/form.tsx'
import { LimitFields, type LimitTexts, limitsOf, limitTextsOf, NO_LIMITS } from '../keys/key-fields.tsx'
import { type KeyRights, ScopesField, useChosenScopes } from '../keys/scopes-field.tsx'
import { operator } from './operator.ts'

const NAME_HINT = 'What uses the key; organizations see it in their audit logs.'

/** A new key of the installation. */
export function NewPlatformKey({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (key: CreatedPlatformKey) => void
}) {
  const chosen = useChosenScopes()
  const form = useForm(
    {
      ...{ name: '', role: 'administrator', scopes: ['*'], mayCreateOrganizations: false },
      ...NO_LIMITS,
    } as KeyRights & LimitTexts & { name: string; mayCreateOrganizations: boolean },
    async (values) =>
      onMade(
        await operator.platformKeys.create({
          name: values.name.trim(),
          scopes: chosen(values),
          mayCreateOrganizations: values.mayCreateOrganizations,
          ...limitsOf(values),
        }),
      ),
  )
  return (
    <Dialog title="New platform key" onClose={onClose}>
      <Form of={form} action="Create key" onCancel={onClose}>
        <TextField of={form} name="name" label="Name" hint={NAME_HINT} placeholder="Our platform" />
        <ScopesField of={form} all="All scopes, in every organization" />
        <CheckField
          of={form}
          name="mayCreateOrganizations"
          label="May create organizations"
          hint="A POST for an unknown external ID creates the organization, with the default plan."
        />
        <LimitFields of={form} />
      </Form>
    </Dialog>
  )
}

/** What can be changed of a key: all but what it may do. */
export function ChangePlatformKey({
  of: key,
  onClose,
  onChanged,
}: {
  of: PlatformKey
  onClose: () => void
  onChanged: () => void
}) {
  const start = { name: textOf(key.name), ...limitTextsOf(key) }
  const form = useForm(start, async (values) => {
    await operator.platformKeys.update(key.id, { name: values.name.trim(), ...limitsOf(values, start) })
    onChanged()
    onClose()
  })
  return (
    <Dialog title={`Change the key ${textOf(key.name)}`} onClose={onClose}>
      <Form of={form} action="Save" onCancel={onClose} onlyChanged>
        <TextField of={form} name="name" label="Name" hint={NAME_HINT} />
        <LimitFields of={form} />
      </Form>
    </Dialog>
  )
}
