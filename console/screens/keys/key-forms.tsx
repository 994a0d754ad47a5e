import type { ApiKey, CreatedApiKey, ServiceAccount } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { useOwnPermissions } from '../roles/data.ts'
import {
  LimitFields,
  type LimitTexts,
  limitsOf,
  limitTextsOf,
  NO_LIMITS,
  RemoveKey,
  RotateSecret,
} from './key-fields.tsx'
import { type KeyRights, ScopesField, useChosenScopes } from './scopes-field.tsx'

/** Lists that show keys or service accounts are read again. */
export function keysChanged(): void {
  outdate('api-keys')
  outdate('service-accounts')
}

interface NewKeyTexts extends LimitTexts {
  name: string
  serviceAccountId: string
}

/** A new key, of a service account of the organization or of a new one. */
export function NewKey({
  serviceAccountId,
  onClose,
  onMade,
}: {
  serviceAccountId: string
  onClose: () => void
  onMade: (key: CreatedApiKey) => void
}) {
  const accounts = useList<ServiceAccount>('service-accounts', (how) =>
    postern.serviceAccounts.list({ limit: 50 }, how),
  ).rows
  const chosen = useChosenScopes()
  const form = useForm(
    {
      ...{ name: '', role: 'member', scopes: ['*'], serviceAccountId, ...NO_LIMITS },
    } as KeyRights & NewKeyTexts,
    async (values) => {
      const made = await postern.apiKeys.create({
        name: values.name.trim(),
        role: values.role,
        scopes: chosen(values),
        ...(values.serviceAccountId === '' ? {} : { serviceAccountId: values.serviceAccountId }),
        ...limitsOf(values),
      })
      keysChanged()
      onMade(made)
    },
  )
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form of={form} action="Create key" onCancel={onClose}>
        <TextField
          of={form}
          name="name"
          label="Name"
          hint="Who or what uses the key."
          placeholder="Deploys"
        />
        <SelectField
          of={form}
          name="serviceAccountId"
          label="Service account"
          hint="What the machine acts as. It owns what the key creates, and keeps it when the key is replaced."
          options={[
            ['', 'a new one with the name of the key'],
            ...accounts.map(({ id, name }) => [String(id), textOf(name)] as const),
          ]}
        />
        <SelectField
          of={form}
          name="role"
          label="Role"
          hint="An administrator can invite people, change webhooks and create keys."
          options={[
            ['member', 'member'],
            ['administrator', 'administrator'],
          ]}
        />
        <ScopesField of={form} may={useOwnPermissions().may} />
        <LimitFields of={form} />
      </Form>
    </Dialog>
  )
}

/** What can be changed of a key: all but what it may do. */
export function ChangeKey({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  const start = {
    ...{ name: textOf(key.name), description: textOf(key.description) },
    ...limitTextsOf(key),
  }
  const form = useForm(start, async (values) => {
    await postern.apiKeys.update(String(key.id), {
      name: values.name.trim(),
      description: values.description.trim() === '' ? null : values.description.trim(),
      ...limitsOf(values, start),
    })
    keysChanged()
    onClose()
  })
  return (
    <Dialog title={`Change the key ${textOf(key.name)}`} onClose={onClose}>
      <Form of={form} action="Save" onCancel={onClose} onlyChanged>
        <TextField of={form} name="name" label="Name" />
        <TextField of={form} name="description" label="Description" optional />
        <LimitFields of={form} />
      </Form>
    </Dialog>
  )
}

/** Another secret for a key; `onRotated` gets it, to be shown once. */
export function RotateKey({
  of: key,
  onClose,
  onRotated,
}: {
  of: ApiKey
  onClose: () => void
  onRotated: (key: CreatedApiKey) => void
}) {
  return (
    <RotateSecret
      name={textOf(key.name)}
      rotate={async (overlapHours) => {
        const rotated = await postern.apiKeys.rotate(String(key.id), { overlapHours })
        keysChanged()
        onRotated(rotated)
      }}
      onClose={onClose}
    />
  )
}

/** Asks whether to delete a key, and does it. */
export function DeleteKey({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  return (
    <RemoveKey
      name={textOf(key.name)}
      text="It stops working immediately and its open invitations are revoked. Its service account stays."
      remove={async (withMade) => {
        await postern.apiKeys.delete(key.id, { withMade })
        keysChanged()
      }}
      onClose={onClose}
    />
  )
}
