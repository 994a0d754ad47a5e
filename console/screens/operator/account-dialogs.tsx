import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AccountItem } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { count, textOf } from '../../app/words.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { operator } from './operator.ts'

interface Of {
  account: AccountItem
  onClose: () => void
}

const changed = () => outdate('operator/accounts')

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

const DIALOGS = {
  status: Status,
  sessions: Sessions,
  factors: Factors,
  address: Address,
  delete: Delete,
}

/** What the operator does with an account. */
export type AccountAct = keyof typeof DIALOGS

/** The dialog of an act of the operator on an account. */
export function AccountDialog({ act, ...of }: Of & { act: AccountAct }) {
  const Asked = DIALOGS[act]
  return <Asked {...of} />
}
