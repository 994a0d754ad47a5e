import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AccountItem } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { operator } from './operator.ts'

type What = 'status' | 'sessions' | 'factors' | 'address' | 'delete'
interface Of {
  account: AccountItem
  onClose: () => void
}

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
  const [asked, ask] = useState<{ what: What; account: AccountItem } | undefined>()
  const close = () => ask(undefined)
  return (
    <Panel title="Accounts" flush>
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
                    run: () => ask({ what: 'status', account }),
                  },
                  {
                    label: 'End all sessions',
                    icon: 'out',
                    run: () => ask({ what: 'sessions', account }),
                  },
                  {
                    ...{ label: 'Remove second factors', icon: 'lock', danger: true },
                    run: () => ask({ what: 'factors', account }),
                  },
                  {
                    ...{ label: 'Change the address', icon: 'invitation' },
                    reason: account.status === 'inactive' ? 'The person has not signed up yet' : undefined,
                    run: () => ask({ what: 'address', account }),
                  },
                  {
                    ...{ label: 'Delete', icon: 'trash', danger: true },
                    run: () => ask({ what: 'delete', account }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {asked?.what === 'status' && <Status account={asked.account} onClose={close} />}
      {asked?.what === 'sessions' && <Sessions account={asked.account} onClose={close} />}
      {asked?.what === 'factors' && <Factors account={asked.account} onClose={close} />}
      {asked?.what === 'address' && <Address account={asked.account} onClose={close} />}
      {asked?.what === 'delete' && <Delete account={asked.account} onClose={close} />}
    </Panel>
  )
}

const changed = () => outdate('operator/accounts')

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

/** A choice of a dialog that is off until it is pressed. */
function Choice({
  isOn,
  set,
  children,
}: {
  isOn: boolean
  set: (isOn: boolean) => void
  children: ComponentChildren
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  )
}

const FORCE = 'Even if an organization is left without an administrator'

/** Shuts an account out, or lets it in again. */
function Status({ account, onClose }: Of) {
  const [force, setForce] = useState(false)
  const isDisabled = account.status === 'disabled'
  const email = textOf(account.email)
  return (
    <Confirm
      title={isDisabled ? `Enable ${email}?` : `Disable ${email}?`}
      action={isDisabled ? 'Enable' : 'Disable'}
      danger={!isDisabled}
      work={async () => {
        await operator.accounts.change(account.id, {
          status: isDisabled ? 'active' : 'disabled',
          ...(isDisabled ? {} : { force }),
        })
        changed()
        toast(isDisabled ? `${email} is active again` : `${email} is disabled`)
      }}
      onClose={onClose}
    >
      <p>
        {isDisabled
          ? 'The person can sign in again, with the memberships and the password from before.'
          : 'All sessions, links and pending invitations of the person end, and no sign-in is accepted.'}
      </p>
      {!isDisabled && (
        <Choice isOn={force} set={setForce}>
          {FORCE}
        </Choice>
      )}
    </Confirm>
  )
}

/** Signs a person out everywhere. */
function Sessions({ account, onClose }: Of) {
  const email = textOf(account.email)
  return (
    <Confirm
      title={`End all sessions of ${email}?`}
      action="End sessions"
      danger
      work={async () => {
        await operator.accounts.endSessions(account.id)
        changed()
        toast(`The sessions of ${email} are ended`)
      }}
      onClose={onClose}
    >
      <p>In all organizations, with every link and code that was mailed. The person can sign in again.</p>
    </Confirm>
  )
}

/** Removes the second factors of a person who has lost them. */
function Factors({ account, onClose }: Of) {
  const email = textOf(account.email)
  return (
    <Confirm
      title={`Remove the second factors of ${email}?`}
      action="Remove factors"
      name={email}
      danger
      work={async () => {
        const { removedFactors } = await operator.accounts.removeFactors(account.id)
        changed()
        toast(`${count(removedFactors, 'second factor')} of ${email} removed`)
      }}
      onClose={onClose}
    >
      <p>
        For a person who has lost all of them, recovery codes included. Make sure by another way that it is
        this person who asks. All sessions end, and the person gets a mail.
      </p>
    </Confirm>
  )
}

/** Begins a change of address for a person who has lost the mailbox. */
function Address({ account, onClose }: Of) {
  const email = textOf(account.email)
  const form = useForm({ newEmail: '' }, async ({ newEmail }) => {
    await operator.accounts.changeEmail(account.id, { newEmail: newEmail.trim() })
    toast(`A mail asks ${newEmail.trim()} to confirm`)
    onClose()
  })
  return (
    <Dialog title={`Change the address of ${email}`} onClose={onClose}>
      <Form of={form} action="Send the mails" onCancel={onClose}>
        <p>
          For a person who has lost the present mailbox. The address changes when the new one confirms within
          24 hours; the present one gets a mail, too, and can refuse. Then all sessions end.
        </p>
        <TextField of={form} name="newEmail" label="New e-mail address" type="email" />
      </Form>
    </Dialog>
  )
}

/** Deletes an account, once its address was typed. */
function Delete({ account, onClose }: Of) {
  const [endKeys, setEndKeys] = useState(false)
  const [force, setForce] = useState(false)
  const email = textOf(account.email)
  return (
    <Confirm
      title={`Delete ${email}?`}
      action="Delete"
      name={email}
      danger
      work={async () => {
        await operator.accounts.delete(account.id, { email: account.email, endKeys, force })
        changed()
        toast(`${email} is deleted`)
      }}
      onClose={onClose}
    >
      <p>
        {count(account.memberships, 'membership')} and {count(account.sessions, 'session')} end with it. This
        cannot be undone. Its entries in the audit log are kept.
      </p>
      <Choice isOn={endKeys} set={setEndKeys}>
        Also delete the API keys that the person created or rotated
      </Choice>
      <Choice isOn={force} set={setForce}>
        {FORCE}
      </Choice>
    </Confirm>
  )
}
