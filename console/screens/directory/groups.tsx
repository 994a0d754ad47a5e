import { useState } from 'preact/hooks'
import type { ProvisionedGroup } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useRoleOptions } from '../roles/data.ts'

/** The groups of the directory, and the role that each gives. */
export function Groups({ reason }: { reason: string | undefined }) {
  const list = useList<ProvisionedGroup>('scim-groups', (how) =>
    postern.provisioning.listGroups({ limit: 50 }, how),
  )
  const [asked, ask] = useState<ProvisionedGroup | undefined>()
  return (
    <>
      <Panel title="Roles by groups" note="Of several groups of a user the highest priority counts." flush>
        <ListTable
          label="Groups"
          noun={['group', 'groups']}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="people" title="No group yet">
              <p>Groups are listed here once the directory has sent them.</p>
            </Empty>
          }
          columns={[
            { title: 'Group', cell: ({ displayName }) => textOf(displayName) },
            { title: 'Users', tight: true, cell: ({ users }) => number(users) },
            {
              title: 'Role',
              tight: true,
              cell: ({ role, roleName }) =>
                role === null ? <span class="quiet">none</span> : textOf(roleName ?? role),
            },
            { title: 'Priority', tight: true, cell: ({ priority }) => number(priority) },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (group) => (
                <Button small reason={reason} onPress={() => ask(group)}>
                  Change role
                </Button>
              ),
            },
          ]}
        />
      </Panel>
      {asked && <GroupRole group={asked} onClose={() => ask(undefined)} />}
    </>
  )
}

function GroupRole({ group, onClose }: { group: ProvisionedGroup; onClose: () => void }) {
  const roles = useRoleOptions()
  const start = { role: textOf(group.role), priority: textOf(group.priority) }
  const form = useForm(start, async ({ role, priority }) => {
    await postern.provisioning.changeGroup(String(group.id), {
      role: role === '' ? null : role,
      priority: Number(priority),
    })
    outdate('scim-groups')
    outdate('members')
    toast(`The role of ${textOf(group.displayName)} is saved`)
    onClose()
  })
  return (
    <Dialog title={`The role of ${textOf(group.displayName)}`} onClose={onClose}>
      <Form of={form} action="Save" onCancel={onClose} onlyChanged>
        <SelectField
          of={form}
          name="role"
          label="Role"
          hint={`${count(Number(group.users), 'user gets', 'users get')} it immediately. Who leaves the last group with a role becomes a member.`}
          options={[['', 'none'], ...roles]}
        />
        <TextField
          of={form}
          name="priority"
          label="Priority"
          type="number"
          inputMode="numeric"
          hint="0 to 1,000."
        />
      </Form>
    </Dialog>
  )
}
