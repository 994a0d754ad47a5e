import type { CreateRoleBodyPermission, OrganizationRole } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { personChanged } from '../../app/data/session.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoicesField, Form, TextField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { useOwnPermissions } from './data.ts'
import { type Group, usePermissionGroups } from './permissions.ts'

/** A new role, a copy of one (`from`), or a change of one (`role`). */
export function EditRole({
  role,
  from,
  onClose,
}: {
  role?: OrganizationRole
  from?: OrganizationRole
  onClose: () => void
}) {
  const { groups, all } = usePermissionGroups()
  const { may, isWithin } = useOwnPermissions()
  const given = role ?? from
  const start = {
    name: textOf(role?.name),
    description: textOf(role?.description),
    permissions: (given?.permissions ?? []).map(String).filter(may),
  }
  const form = useForm(start, async ({ name, description, permissions }) => {
    const body = {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      // In the order of the table, as the API gives them.
      permissions: all.filter((one) => permissions.includes(one)) as CreateRoleBodyPermission[],
    }
    if (role === undefined) await postern.roles.create(body)
    else await postern.roles.update(String(role.id), body)
    outdate('roles')
    // The person may have the role.
    if (role !== undefined) void personChanged()
    toast(role === undefined ? `The role ${body.name} is created` : `The role ${body.name} is saved`)
    onClose()
  })
  const { name, permissions } = form.values
  const reason =
    name.trim() === ''
      ? 'Enter a name first'
      : permissions.length === 0
        ? 'Select at least one permission'
        : undefined
  const isPart = !isWithin(all)
  return (
    <Dialog title={role === undefined ? 'New role' : `Edit ${textOf(role.name)}`} wide onClose={onClose}>
      <Form
        of={form}
        action={role === undefined ? 'Create role' : 'Save'}
        reason={reason}
        onlyChanged={role !== undefined}
        onCancel={onClose}
      >
        <TextField of={form} name="name" label="Name" placeholder="Support" />
        <TextField
          of={form}
          name="description"
          label="Description"
          hint="Who has the role, and for what."
          optional
        />
        <p class="small quiet">
          {role !== undefined && 'A change reaches all who have the role within seconds. '}
          {isPart && 'Only what your own role permits is listed.'}
        </p>
        <div class="role-permissions">
          {groups.map((group) => (
            <ChoicesField
              key={group.title}
              of={form}
              name="permissions"
              label={group.title}
              options={optionsOf(group, may)}
            />
          ))}
        </div>
      </Form>
    </Dialog>
  )
}

const optionsOf = ({ rows }: Group, may: (permission: string) => boolean) =>
  rows
    .filter(({ scope }) => may(scope))
    .map(({ scope, description }) => ({
      value: textOf(scope),
      label: textOf(scope),
      note: textOf(description),
    }))
