import { useState } from 'preact/hooks'
import type { OrganizationRole } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { count, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Loading } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { useOwnPermissions, useRoles } from './data.ts'

const EditRole = lazy(() => import('./edit-role.tsx').then((module) => module.EditRole))
const ShowRole = lazy(() => import('./show-role.tsx').then((module) => module.ShowRole))

type Asked = { what: 'show' | 'change' | 'copy' | 'delete'; role: OrganizationRole } | { what: 'new' }

/** The roles of the organization, and what each permits. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'roles:write' })
  const { isWithin } = useOwnPermissions()
  const { data, failure, refresh } = useRoles()
  const [asked, ask] = useState<Asked | undefined>()
  const close = () => ask(undefined)
  useActions([{ label: 'New role', run: () => ask({ what: 'new' }), reason }])
  /** Why a role cannot be changed by this person. */
  const fixedReason = ({ isFixed, permissions }: OrganizationRole) =>
    isFixed
      ? 'Every organization has this role'
      : (reason ?? (isWithin(permissions) ? undefined : 'It permits more than your own role'))
  return (
    <Page
      title="Roles"
      lead="What members may do. Two roles are built in; others are made of the same permissions."
      actions={
        <>
          <LinkButton icon="people" href={to('/members')}>
            Members
          </LinkButton>
          <Button kind="primary" icon="plus" reason={reason} onPress={() => ask({ what: 'new' })}>
            New role
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <Loading failure={failure} retry={refresh} lines={6} />
      ) : (
        <Panel flush>
          <Table
            label="Roles"
            rows={data}
            keyOf={({ id }) => String(id)}
            rowKeys={[
              { keys: 'Enter', label: 'Show what it permits', run: (role) => ask({ what: 'show', role }) },
            ]}
            columns={[
              { title: 'Name', cell: (role) => <Named role={role} /> },
              {
                title: 'Permits',
                tight: true,
                cell: (role) => (
                  <Button small onPress={() => ask({ what: 'show', role })}>
                    {role.id === 'administrator'
                      ? 'everything'
                      : count(role.permissions.length, 'permission')}
                  </Button>
                ),
              },
              {
                title: 'Updated',
                tight: true,
                minor: true,
                cell: ({ updatedAt }) => <Time at={updatedAt} none="–" />,
              },
              {
                title: 'Actions',
                tight: true,
                end: true,
                cell: (role) => (
                  <Menu
                    small
                    label={`More for ${textOf(role.name)}`}
                    items={[
                      {
                        ...{ label: 'Show what it permits', icon: 'role' as const },
                        run: () => ask({ what: 'show', role }),
                      },
                      {
                        ...{ label: 'Edit', icon: 'settings' as const, reason: fixedReason(role) },
                        run: () => ask({ what: 'change', role }),
                      },
                      {
                        ...{ label: 'Copy to a new role', icon: 'copy' as const, reason },
                        run: () => ask({ what: 'copy', role }),
                      },
                      {
                        ...{
                          label: 'Delete',
                          icon: 'trash' as const,
                          danger: true,
                          reason: fixedReason(role),
                        },
                        run: () => ask({ what: 'delete', role }),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
        </Panel>
      )}
      {asked?.what === 'new' && <EditRole onClose={close} />}
      {asked?.what === 'change' && <EditRole role={asked.role} onClose={close} />}
      {asked?.what === 'copy' && <EditRole from={asked.role} onClose={close} />}
      {asked?.what === 'show' && <ShowRole role={asked.role} onClose={close} />}
      {asked?.what === 'delete' && <DeleteRole role={asked.role} onClose={close} />}
    </Page>
  )
}

function Named({ role: { name, description, isFixed } }: { role: OrganizationRole }) {
  return (
    <div class="person">
      <span class="row">
        <span class="person-name">{textOf(name)}</span>
        {isFixed && <Badge>built in</Badge>}
      </span>
      {description && <span class="small quiet">{textOf(description)}</span>}
    </div>
  )
}

function DeleteRole({ role: { id, name }, onClose }: { role: OrganizationRole; onClose: () => void }) {
  return (
    <Confirm
      title={`Delete the role ${textOf(name)}?`}
      action="Delete"
      danger
      work={async () => {
        await postern.roles.delete(String(id))
        outdate('roles')
        toast(`The role ${textOf(name)} is deleted`)
      }}
      onClose={onClose}
    >
      <p>
        It is refused while a member has the role, or a pending invitation names it: give those members
        another role and revoke those invitations first.
      </p>
    </Confirm>
  )
}
