import { useState } from 'preact/hooks'
import type { Invitation } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Countdown } from '../../parts/time.tsx'
import { useNames } from './actors.ts'
import { type Asked, InvitationDialogs, InvitationMenu, reasonOf } from './invitation-actions.tsx'
import { useInvitations } from './invitations-data.ts'
import { InviteForm } from './invite-form.tsx'
import { MailTruth } from './mail-truth.tsx'

const STATES = ['pending', 'accepted', 'expired', 'revoked'].map((one) => [one, one] as const)

/** Inviting, and what became of each invitation. */
export function Screen() {
  const access = useAccess()
  const reason = access.reason({ permission: 'invitations:write' })
  const [filter, change] = useFilters(['status', 'email'])
  const list = useInvitations(filter)
  const nameOf = useNames(list.rows.map(({ inviterId }) => inviterId))
  const [asked, ask] = useState<Asked | undefined>()
  const isFiltered = filter.status !== '' || filter.email !== ''
  return (
    <Page
      title="Invitations"
      lead="Invite people and see whether their mail was sent."
      actions={
        <LinkButton icon="send" href={to('/mails')} reason={access.reason({ permission: 'mails:read' })}>
          All mails
        </LinkButton>
      }
    >
      <Panel title="Invite">
        <InviteForm reason={reason} />
      </Panel>
      <Filters
        rows={[
          { name: 'status', label: 'Status', kind: 'choice', options: STATES },
          { name: 'email', label: 'Address', kind: 'text', placeholder: 'the whole address' },
        ]}
        values={filter}
        onChange={change}
      />
      <Panel flush>
        <ListTable
          label="Invitations"
          noun={['invitation', 'invitations']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/invitations/${id}`)}
          rowKeys={[
            {
              keys: 'r',
              label: 'Resend',
              run: (row) => reasonOf(row, 'resend', reason) ?? ask({ what: 'resend', invitation: row }),
            },
          ]}
          empty={isFiltered ? <Empty icon="filter" title="No matching invitations" /> : <Nobody />}
          columns={[
            {
              title: 'Address',
              cell: (row) => (
                <div class="person">
                  <span class="person-name">{textOf(row.email)}</span>
                  <span class="small quiet person-note">
                    {textOf(row.roleName ?? 'a deleted role')} · by{' '}
                    {row.inviterId === null ? 'the command line' : nameOf(row.inviterId)}
                  </span>
                </div>
              ),
            },
            { title: 'Status', tight: true, cell: ({ status }) => <Status of={status} /> },
            { title: 'Mail', cell: ({ delivery }) => <MailTruth of={delivery} /> },
            { title: 'Left', tight: true, cell: (row) => <Left of={row} /> },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (row) => (
                <span class="row person-do">
                  <Button
                    small
                    reason={reasonOf(row, 'resend', reason)}
                    onPress={() => ask({ what: 'resend', invitation: row })}
                  >
                    Resend
                  </Button>
                  <InvitationMenu invitation={row} reason={reason} ask={ask} />
                </span>
              ),
            },
          ]}
        />
      </Panel>
      <InvitationDialogs asked={asked} onClose={() => ask(undefined)} />
    </Page>
  )
}

function Left({ of: { status, expiresAt } }: { of: Invitation }) {
  return status === 'pending' ? <Countdown until={expiresAt} /> : <span class="quiet">–</span>
}

function Nobody() {
  return (
    <Empty icon="invitation" title="No invitations yet">
      <p>Enter an address above. The mail contains a personal link to join.</p>
    </Empty>
  )
}
