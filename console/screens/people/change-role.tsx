import type { Member } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { personChanged } from '../../app/data/session.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { useRoleOptions, useRoles } from '../roles/data.ts'
import { nameOf } from './invitations-data.ts'

/** Gives a member another role. */
export function ChangeRole({
  member,
  own,
  organizationId,
  onClose,
}: {
  member: Member
  /** The account of the person who looks at it. */
  own: string
  organizationId: string
  onClose: () => void
}) {
  const { accountId } = member
  const person = nameOf(member)
  const options = useRoleOptions()
  const present = String(member.role)
  const form = useForm({ role: present }, async ({ role }) => {
    const { roleName } = await postern.members.changeRole(organizationId, accountId, { role })
    if (accountId === own) await personChanged()
    outdate('members')
    toast(`${person} has the role ${textOf(roleName)} now`)
    onClose()
  })
  const { role } = form.values
  const about = useRoles().data?.find(({ id }) => id === role)?.description
  return (
    <Dialog title={`Change the role of ${person}`} onClose={onClose}>
      <Form of={form} action="Change role" onlyChanged onCancel={onClose}>
        <SelectField
          of={form}
          name="role"
          label="Role"
          options={
            options.some(([id]) => id === present)
              ? options
              : [[present, textOf(member.roleName)] as const, ...options]
          }
          hint={about && textOf(about)}
        />
        <p>
          {role !== present && present === 'administrator'
            ? 'Their open invitations that the new role does not permit are revoked. Service accounts and API keys that they created stay.'
            : 'It takes effect immediately.'}
        </p>
      </Form>
    </Dialog>
  )
}
