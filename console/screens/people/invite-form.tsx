import { useEffect, useRef, useState } from 'preact/hooks'
import type { Invitation } from '#sdk/postern.ts'
import { announce } from '../../app/announcer.ts'
import { outdate } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { count } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { AreaField, CheckField, Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { useRoleOptions } from '../roles/data.ts'
import { addressesOf } from './invitations-data.ts'
import { Outcomes } from './outcomes.tsx'
import { type Outcome, sendInvitations, USUAL_DAYS } from './send-invitations.ts'

const START = { email: '', role: 'member', expiresInDays: String(USUAL_DAYS), isLink: false }

/** Invites one person or a thousand, and shows what became of each. */
export function InviteForm({ reason }: { reason: string | undefined }) {
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const [total, setTotal] = useState(0)
  const going = useRef<AbortController | undefined>(undefined)
  const roles = useRoleOptions()
  const form = useForm<{
    email: string
    role: string
    expiresInDays: string
    isLink: boolean
  }>(START, async ({ email, role, expiresInDays, isLink }) => {
    const found = addressesOf(email)
    // A line without an address is sent unchanged: the server says what is wrong with it.
    const emails = found.length === 0 ? [email.trim()] : found
    going.current = new AbortController()
    setOutcomes([])
    setTotal(emails.length)
    const wish = { role, days: Number(expiresInDays), isMailed: !isLink }
    try {
      const all = await sendInvitations(emails, wish, setOutcomes, going.current.signal)
      const rest = emails.slice(all.length)
      const refused = all.filter(({ refusal }) => refusal !== undefined).map(({ email }) => email)
      form.reset({ ...START, email: [...refused, ...rest].join('\n'), role, expiresInDays, isLink })
      announce(`${count(all.length - refused.length, 'person', 'people')} invited`)
    } finally {
      going.current = undefined
      outdate('invitations')
    }
  })
  useEffect(() => () => going.current?.abort(), [])
  useLive(['invitation'], ({ event, data }) => {
    if (event === 'gap') return
    const changed = data as Invitation
    setOutcomes((before) =>
      before.some(({ invitation }) => invitation?.id === changed.id)
        ? before.map((one) =>
            one.invitation?.id === changed.id
              ? { ...one, invitation: { ...one.invitation, ...changed } }
              : one,
          )
        : before,
    )
  })
  const many = addressesOf(form.values.email).length
  // The roles may come later than the form, and the lowest of them may not be this person's to give.
  const { role } = form.values
  const given = roles.some(([id]) => id === role) ? undefined : roles[0]?.[0]
  useEffect(() => {
    if (given !== undefined) form.set('role', given)
  }, [given])
  return (
    <div class="stack">
      <Form of={form} action={many > 1 ? `Invite ${many} people` : 'Invite'} reason={reason}>
        <AreaField
          of={form}
          name="email"
          label="E-mail addresses"
          rows={many > 3 ? 6 : 2}
          placeholder="ada@example.com, grace@example.com"
          hint={many > 1 ? `${many} addresses` : 'One or more. You can paste a list, also with names.'}
        />
        <div class="invite-how">
          <SelectField of={form} name="role" label="Role" options={roles} />
          <TextField of={form} name="expiresInDays" label="Expires after (days)" type="number" />
        </div>
        <CheckField
          of={form}
          name="isLink"
          label="Send no mail. I share the links myself."
          hint="Each link is shown once."
        />
      </Form>
      {form.isBusy && total > 1 && (
        <div class="row">
          <Progress label="Invited" done={outcomes.length} total={total} />
          <Button small onPress={() => going.current?.abort()}>
            Stop
          </Button>
        </div>
      )}
      <Outcomes all={outcomes} onClose={() => setOutcomes([])} />
    </div>
  )
}
