import { useState } from 'preact/hooks'
import type { AccountItem } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { type AccountAct, AccountDialog } from './account-dialogs.tsx'
import { ImportAccounts } from './import-accounts.tsx'
import { operator } from './operator.ts'

const NONE = { email: '', status: '' }
const TONES = { active: 'good', inactive: 'plain', disabled: 'wait' } as const

/** All accounts of the installation, and what the operator does with one. */
export function Accounts() {
  // Not in the address: an address of a person is not for the history of the browser.
  const [filter, setFilter] = useState(NONE)
  const query = {
    ...(filter.email.trim() === '' ? {} : { email: filter.email.trim() }),
    ...(filter.status === '' ? {} : { status: filter.status as 'active' }),
  }
  const list = useList<AccountItem>(`operator/accounts ${JSON.stringify(query)}`, (how) =>
    operator.accounts.list({ ...query, limit: 50 }, how),
  )
  const [asked, ask] = useState<{ act: AccountAct; account: AccountItem } | undefined>()
  const [isImporting, setImporting] = useState(false)
  const close = () => ask(undefined)
  return (
    <Panel
      title="Accounts"
      flush
      actions={
        <Button small icon="upload" onPress={() => setImporting(true)}>
          Import accounts
        </Button>
      }
    >
      <Filters
        rows={[
          { name: 'email', label: 'E-mail address', kind: 'text', placeholder: 'ada@example.com' },
          {
            name: 'status',
            label: 'Status',
            kind: 'choice',
            options: Object.keys(TONES).map((status) => [status, status] as const),
          },
        ]}
        values={filter}
        onChange={(changed) => setFilter({ ...filter, ...changed })}
      />
      <ListTable
        label="Accounts"
        noun={['account', 'accounts']}
        list={list}
        keyOf={({ id }) => id}
        empty={<Empty icon="people" title="No such account" />}
        columns={[
          { title: 'Person', cell: (account) => <Person of={account} /> },
          {
            title: 'Status',
            tight: true,
            cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{textOf(status)}</Badge>,
          },
          {
            ...{ title: 'Organizations', tight: true, end: true },
            cell: ({ memberships }) => number(memberships),
          },
          { title: 'Sessions', tight: true, end: true, cell: ({ sessions }) => number(sessions) },
          { title: 'Created', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            tight: true,
            end: true,
            cell: (account) => (
              <Menu
                small
                label={`More for ${textOf(account.email)}`}
                items={[
                  {
                    label: account.status === 'disabled' ? 'Enable' : 'Disable',
                    icon: account.status === 'disabled' ? 'run' : 'pause',
                    reason: account.status === 'inactive' ? 'The person has not signed up yet' : undefined,
                    run: () => ask({ act: 'status', account }),
                  },
                  {
                    label: 'End all sessions',
                    icon: 'out',
                    run: () => ask({ act: 'sessions', account }),
                  },
                  {
                    ...{ label: 'Remove second factors', icon: 'lock', danger: true },
                    run: () => ask({ act: 'factors', account }),
                  },
                  {
                    ...{ label: 'Change the address', icon: 'invitation' },
                    reason: account.status === 'inactive' ? 'The person has not signed up yet' : undefined,
                    run: () => ask({ act: 'address', account }),
                  },
                  {
                    ...{ label: 'Delete', icon: 'trash', danger: true },
                    run: () => ask({ act: 'delete', account }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {asked && <AccountDialog {...asked} onClose={close} />}
      {isImporting && <ImportAccounts onClose={() => setImporting(false)} />}
    </Panel>
  )
}

function Person({ of: { firstName, lastName, email, emailVerified } }: { of: AccountItem }) {
  const name = [firstName, lastName].map(textOf).filter(Boolean).join(' ')
  return (
    <div class="person">
      <span class="person-name">{name === '' ? textOf(email) : name}</span>
      <span class="small quiet">
        {name !== '' && textOf(email)} {!emailVerified && '(not confirmed)'}
      </span>
    </div>
  )
}
