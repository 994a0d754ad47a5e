import { useState } from 'preact/hooks'
import type { AllOrganization } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { textOf } from '../../app/words.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { toast } from '../../parts/toast.tsx'
import { operator } from './operator.ts'

interface Of {
  organization: AllOrganization
  onClose: () => void
}

/** Asks for the address of an administrator to invite, and shows the link once. */
export function Invite({ organization, onClose }: Of) {
  const [link, setLink] = useState<{ acceptUrl: string; isMailed: boolean } | undefined>()
  const form = useForm({ email: '', role: 'administrator' as const }, async ({ email, role }) => {
    setLink(await operator.operator.invite(organization.id, { email: email.trim(), role }))
  })
  const name = textOf(organization.name)
  if (link !== undefined)
    return (
      <SecretOnce
        title={`Invited to ${name}`}
        secret={link.acceptUrl}
        what="link"
        advice={
          link.isMailed
            ? 'It is also sent by mail. It works for this person only, for 7 days.'
            : 'There is no mail server: give the link to the person yourself. It works for 7 days.'
        }
        onClose={onClose}
      />
    )
  return (
    <Dialog title={`Invite to ${name}`} onClose={onClose}>
      <Form of={form} action="Invite" onCancel={onClose}>
        <TextField
          of={form}
          name="email"
          label="E-mail address"
          type="email"
          hint="If the address is invited again, the earlier link stops working."
        />
        <SelectField
          of={form}
          name="role"
          label="Role"
          options={[
            ['administrator', 'administrator'],
            ['member', 'member'],
          ]}
        />
      </Form>
    </Dialog>
  )
}

/** Shuts an organization out, or lets it in again. */
export function Status({ organization, onClose }: Of) {
  const isActive = organization.status === 'active'
  const name = textOf(organization.name)
  return (
    <Confirm
      title={isActive ? `Disable ${name}?` : `Enable ${name}?`}
      action={isActive ? 'Disable' : 'Enable'}
      danger={isActive}
      onClose={onClose}
      work={async () => {
        await operator.operator.changeOrganization(organization.id, {
          status: isActive ? 'disabled' : 'active',
        })
        outdate('operator')
        toast(isActive ? `${name} is disabled` : `${name} is active again`)
      }}
    >
      <p>
        {isActive
          ? 'Nobody can sign in to it, deliveries wait, and its runs are cancelled. Its data is kept.'
          : 'Members and keys work again, and waiting deliveries are sent.'}
      </p>
    </Confirm>
  )
}

/** Deletes an organization, once its name was typed. */
export function Delete({ organization, onClose }: Of) {
  const { id, name, members, webhooks } = organization
  return (
    <Confirm
      title={`Delete ${textOf(name)}?`}
      action="Delete"
      name={textOf(name)}
      danger
      onClose={onClose}
      work={async () => {
        await operator.operator.deleteOrganization(id, { name })
        outdate('operator')
        toast(`${textOf(name)} is deleted`)
      }}
    >
      <p>
        {members} {members === 1 ? 'member' : 'members'} and {webhooks}{' '}
        {webhooks === 1 ? 'webhook' : 'webhooks'}, with all keys, files, knowledge bases, agents and
        connections. This cannot be undone. Its ledger, paid checkouts and audit log are kept.
      </p>
    </Confirm>
  )
}
