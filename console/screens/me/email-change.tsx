import { useState } from 'preact/hooks'
import { outdate, useData } from '../../app/data/cache.ts'
import { byCookie } from '../../app/data/session.ts'
import { useAction } from '../../app/data/use-action.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

const EMPTY = { newEmail: '', currentPassword: '' }

/** Asks for another address, and shows which mailbox has not agreed. */
export function EmailChange({ email }: { email: string }) {
  const { data } = useData('email change', (how) => byCookie.account.emailChange(how))
  // The mails are written a moment after the answer.
  const [asked, setAsked] = useState<string | undefined>()
  const change = data?.change ?? undefined
  const waiting = change === undefined ? asked : textOf(change.newEmail)
  const form = useForm(EMPTY, async ({ newEmail, currentPassword }) => {
    const password = currentPassword === '' ? {} : { currentPassword }
    await byCookie.account.changeEmail({ newEmail: newEmail.trim(), ...password }, { maxRetries: 0 })
    form.reset(EMPTY)
    setAsked(newEmail.trim())
    outdate('email change')
    toast('Both addresses were mailed')
  })
  const cancelling = useAction(async () => {
    await byCookie.account.cancelEmailChange()
    setAsked(undefined)
    outdate('email change')
  })
  return (
    <>
      {waiting !== undefined && (
        <Notice
          tone="wait"
          icon="clock"
          title={`Waits for ${[
            change?.isApproved ? [] : [`the mailbox of ${email}`],
            change?.isConfirmed ? [] : [`the mailbox of ${waiting}`],
          ]
            .flat()
            .join(' and ')}`}
          actions={
            <Button small busy={cancelling.isBusy} onPress={() => void cancelling.run()}>
              Cancel the change
            </Button>
          }
        >
          Open the link in each mail within 24 hours, that of the new address in a browser in which you are
          signed in.
        </Notice>
      )}
      <Failed failure={cancelling.failure} />
      <Form of={form} action="Change address">
        <TextField
          of={form}
          name="newEmail"
          label="New address"
          type="email"
          autocomplete="email"
          hint={`Now ${email}. Both mailboxes must agree; other sessions are then signed out.`}
        />
        <TextField
          of={form}
          name="currentPassword"
          label="Password"
          type="password"
          autocomplete="current-password"
          optional
          hint="Needed where you signed in more than ten minutes ago and have no second factor."
        />
      </Form>
    </>
  )
}
