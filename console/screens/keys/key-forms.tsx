import { useState } from 'preact/hooks'
import type { ApiKey, CreateApiKeyBody, CreatedApiKey, ServiceAccount } from '#sdk/postern.ts'
import { DAY, now } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { AreaField, Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { isOfRole, type KeyRights, ScopesField, useScopes } from './scopes-field.tsx'

const ADDRESSES_HINT =
  'Networks from which the key may come, one a line: 203.0.113.0/24. Empty: from anywhere.'

/** The lines of a field; null where there are none. */
function linesOf(text: string): string[] | null {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}

/** Lists that show keys or service accounts are read again. */
export function keysChanged(): void {
  outdate('api-keys')
  outdate('service-accounts')
}

interface NewKeyTexts {
  name: string
  expiresInDays: string
  serviceAccountId: string
  allowedAddresses: string
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
  const all = useScopes()
  /** Drops scopes that were chosen before and that the present role does not have. */
  const chosen = (role: KeyRights['role'], scopes: string[]) =>
    all
      .filter(isOfRole(role))
      .map(({ scope }) => scope)
      .filter((scope) => scopes.includes(scope)) as NonNullable<CreateApiKeyBody['scopes']>
  const form = useForm(
    {
      ...{ name: '', role: 'member', scopes: ['*'], expiresInDays: '' },
      ...{ serviceAccountId, allowedAddresses: '' },
    } as KeyRights & NewKeyTexts,
    async (values) => {
      const days = values.expiresInDays.trim()
      const addresses = linesOf(values.allowedAddresses)
      const made = await postern.apiKeys.create({
        name: values.name.trim(),
        role: values.role,
        ...(values.scopes.includes('*') ? {} : { scopes: chosen(values.role, values.scopes) }),
        ...(days === '' ? {} : { expiresInDays: Number(days) }),
        ...(values.serviceAccountId === '' ? {} : { serviceAccountId: values.serviceAccountId }),
        ...(addresses === null ? {} : { allowedAddresses: addresses }),
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
        <ScopesField of={form} />
        <TextField
          of={form}
          name="expiresInDays"
          label="Expires after (days)"
          type="number"
          optional
          hint="Empty: it does not expire."
        />
        <AreaField
          of={form}
          name="allowedAddresses"
          label="Addresses"
          rows={2}
          mono
          optional
          hint={ADDRESSES_HINT}
        />
      </Form>
    </Dialog>
  )
}

/** Days from now to the end of a key, as its field has them. */
function daysLeft({ expiresAt }: ApiKey): string {
  const at = millisOf(expiresAt)
  return at === undefined ? '' : String(Math.max(1, Math.round((at - now()) / DAY)))
}

/** What can be changed of a key: all but what it may do. */
export function ChangeKey({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  const start = {
    ...{ name: textOf(key.name), description: textOf(key.description), expiresInDays: daysLeft(key) },
    allowedAddresses: (key.allowedAddresses ?? []).join('\n'),
  }
  const form = useForm(start, async ({ name, description, expiresInDays, allowedAddresses }) => {
    const days = expiresInDays.trim()
    await postern.apiKeys.update(String(key.id), {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      allowedAddresses: linesOf(allowedAddresses),
      // An end that was not edited stays to the minute.
      ...(days === start.expiresInDays ? {} : { expiresInDays: days === '' ? null : Number(days) }),
    })
    keysChanged()
    onClose()
  })
  return (
    <Dialog title={`Change the key ${textOf(key.name)}`} onClose={onClose}>
      <Form of={form} action="Save" onCancel={onClose} onlyChanged>
        <TextField of={form} name="name" label="Name" />
        <TextField of={form} name="description" label="Description" optional />
        <TextField
          of={form}
          name="expiresInDays"
          label="Expires after (days from now)"
          type="number"
          optional
          hint="Empty: it does not expire."
        />
        <AreaField
          of={form}
          name="allowedAddresses"
          label="Addresses"
          rows={3}
          mono
          optional
          hint={ADDRESSES_HINT}
        />
      </Form>
    </Dialog>
  )
}

const OVERLAPS = [
  ['24', '24 hours more'],
  ['1', 'one hour more'],
  ['168', 'a week more'],
  ['0', 'not at all: it has leaked'],
] as const

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
  const form = useForm({ overlapHours: '24' }, async ({ overlapHours }) => {
    const rotated = await postern.apiKeys.rotate(String(key.id), { overlapHours: Number(overlapHours) })
    keysChanged()
    onRotated(rotated)
  })
  return (
    <Dialog title={`Rotate the key ${textOf(key.name)}`} onClose={onClose}>
      <Form of={form} action="Rotate" onCancel={onClose}>
        <p>The key gets a new secret, which is shown once. What the key may do and owns stays.</p>
        <SelectField of={form} name="overlapHours" label="The present secret works" options={OVERLAPS} />
      </Form>
    </Dialog>
  )
}

/** Asks whether to delete a key, and does it. */
export function DeleteKey({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  const [withMade, setWithMade] = useState(false)
  return (
    <Confirm
      title={`Delete the key ${textOf(key.name)}?`}
      action="Delete"
      danger
      name={textOf(key.name)}
      work={async () => {
        await postern.apiKeys.delete(key.id, { withMade })
        keysChanged()
        toast(`The key ${textOf(key.name)} is deleted`)
      }}
      onClose={onClose}
    >
      <p>It stops working immediately and its open invitations are revoked. Its service account stays.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={withMade}
          onChange={(event) => setWithMade(event.currentTarget.checked)}
        />
        <span>Also delete the keys that were created with it</span>
      </label>
    </Confirm>
  )
}
