import { useState } from 'preact/hooks'
import type { Member } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { session } from '../../app/data/session.ts'
import { go, to, useFilters } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Notice } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ChangeRole } from './change-role.tsx'
import { nameOf } from './invitations-data.ts'
import { type MemberAct, MemberDialog } from './member-dialog.tsx'

const LAST = 'Make somebody else an administrator first'

/** The members of the organization and their roles. */
export function Screen() {
  const { organization, reason, may } = useAccess()
  const [filter, change] = useFilters(['search'])
  const search = filter.search.slice(0, 100)
  const list = useList<Member>(organization && `members ${search}`, (how) =>
    postern.members.list(organization?.id ?? '', { limit: 100, ...(search === '' ? {} : { search }) }, how),
  )
  const who = useStore(session)
  const own = who.state === 'in' ? who.person.id : ''
  const [asked, ask] = useState<MemberAct | { what: 'role'; member: Member } | undefined>()
  const admins = list.rows.filter(({ role }) => role === 'administrator')
  const locked = reason({ permission: 'members:write' })
  const mayNotChangeKeys = reason({ permission: 'keys:write' })
  /** Why the last administrator stays one. On a filtered or partly read list another one may be missing: there the server decides. */
  const lastReason = ({ accountId }: Member) =>
    search === '' && !list.hasMore && admins.length === 1 && admins[0]?.accountId === accountId
      ? LAST
      : undefined
  // However many members there are, and whichever of them are shown.
  const me: Member | undefined =
    who.state === 'in' && organization
      ? {
          ...who.person,
          accountId: own,
          role: textOf(organization.role),
          roleName: textOf(organization.roleName),
          joinedAt: '',
        }
      : undefined
  return (
    <Page
      title="Members"
      lead={`The members of ${textOf(organization?.name)} and their roles.`}
      actions={
        <>
          <Button
            icon="out"
            reason={me && lastReason(me)}
            onPress={() => me && ask({ what: 'leave', member: me })}
          >
            Leave
          </Button>
          {may('roles:read') && (
            <LinkButton icon="role" href={to('/roles')}>
              Roles
            </LinkButton>
          )}
          <LinkButton
            kind="primary"
            icon="plus"
            href={to('/invitations')}
            reason={reason({ permission: 'invitations:write' })}
          >
            Invite
          </LinkButton>
        </>
      }
    >
      <Filters
        rows={[{ name: 'search', label: 'Search', kind: 'text', placeholder: 'a name or an address' }]}
        values={filter}
        onChange={change}
      />
      <Panel flush>
        <ListTable
          label="Members"
          noun={['member', 'members']}
          list={list}
          keyOf={({ accountId }) => accountId}
          empty={<Empty icon="filter" title="No member is called so" />}
          columns={[
            {
              title: 'Who',
              cell: (member) => (
                <div class="person">
                  <span class="person-name">
                    {nameOf(member)}
                    {member.accountId === own && <span class="quiet"> (you)</span>}
                  </span>
                  <span class="small quiet">{textOf(member.email)}</span>
                </div>
              ),
            },
            {
              title: 'Role',
              tight: true,
              cell: ({ role, roleName }) => (
                <Badge tone={role === 'administrator' ? 'good' : 'plain'}>{textOf(roleName)}</Badge>
              ),
            },
            { title: 'Joined', tight: true, cell: ({ joinedAt }) => <Time at={joinedAt} /> },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (member) => (
                <Menu
                  small
                  label={`More for ${nameOf(member)}`}
                  items={[
                    {
                      label: 'Change role',
                      icon: 'role',
                      reason: locked ?? lastReason(member),
                      run: () => ask({ what: 'role', member }),
                    },
                    {
                      label: 'API keys they created',
                      icon: 'key',
                      reason: reason({ permission: 'keys:read' }),
                      run: () => go(to('/api-keys', { createdBy: member.accountId })),
                    },
                    {
                      label: 'Delete these API keys',
                      icon: 'trash',
                      danger: true,
                      reason: mayNotChangeKeys,
                      run: () => ask({ what: 'keys', member }),
                    },
                    {
                      label: 'End their sessions',
                      icon: 'lock',
                      reason: locked,
                      run: () => ask({ what: 'sessions', member }),
                    },
                    member.accountId !== own && {
                      label: 'Remove second factors',
                      icon: 'lock',
                      danger: true,
                      reason: locked,
                      run: () => ask({ what: 'factors', member }),
                    },
                    member.accountId === own
                      ? {
                          label: 'Leave',
                          icon: 'out',
                          danger: true,
                          reason: lastReason(member),
                          run: () => ask({ what: 'leave', member }),
                        }
                      : {
                          label: 'Remove',
                          icon: 'trash',
                          danger: true,
                          reason: locked ?? lastReason(member),
                          run: () => ask({ what: 'remove', member }),
                        },
                  ]}
                />
              ),
            },
          ]}
        />
      </Panel>
      {search === '' && list.rows.length === 1 && !list.hasMore && (
        <Notice icon="people" title="You are the only member">
          <div class="stack">
            <p>Invite others here, or from a terminal on the server:</p>
            <Command
              text={`npx postern invite --organization '${textOf(organization?.name).replaceAll("'", `'\\''`)}' --email somebody@example.com`}
            />
          </div>
        </Notice>
      )}
      {asked?.what === 'role' && organization && (
        <ChangeRole
          member={asked.member}
          own={own}
          organizationId={organization.id}
          onClose={() => ask(undefined)}
        />
      )}
      {asked && asked.what !== 'role' && organization && (
        <MemberDialog
          {...asked}
          what={asked.what}
          organization={organization}
          onClose={() => ask(undefined)}
        />
      )}
    </Page>
  )
}
