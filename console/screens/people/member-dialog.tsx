import { useState } from 'preact/hooks'
import type { Member } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { personChanged, session } from '../../app/data/session.ts'
import { go, to } from '../../app/router.ts'
import { count, textOf } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'
import { nameOf } from './invitations-data.ts'

/** Something that may be done with a member. */
export type MemberAct = { what: 'remove' | 'leave' | 'sessions' | 'keys' | 'factors'; member: Member }

/** Asks whether to do something with a member, and does it. */
export function MemberDialog({
  what,
  member,
  organization: { id, name },
  onClose,
}: MemberAct & {
  organization: { id: string; name: string }
  onClose: () => void
}) {
  const { accountId } = member
  const [endKeys, setEndKeys] = useState(false)
  const person = nameOf(member)
  const may = useMay()
  const words = {
    remove: {
      title: `Remove ${person}?`,
      action: 'Remove',
      text: 'They lose access immediately and their open invitations are revoked. Service accounts and API keys that they created stay, unless you delete these keys, too.',
      name: textOf(member.email),
      async work() {
        await postern.members.remove(id, accountId, { endKeys })
        toast(`${person} is no member any more`)
      },
    },
    sessions: {
      title: `End the sessions of ${person}?`,
      action: 'End sessions',
      text: 'They have to sign in again to use this organization. Their sessions stay good for other organizations.',
      name: undefined,
      async work() {
        const { endedSessions } = await postern.members.endSessions(id, accountId)
        toast(`${count(endedSessions, 'session', 'sessions')} of ${person} ended`)
      },
    },
    factors: {
      title: `Remove the second factors of ${person}?`,
      action: 'Remove factors',
      text: 'For a person who has lost all of them, recovery codes included. Make sure by another way that it is this person who asks. All their sessions end, and they get a mail.',
      name: textOf(member.email),
      async work() {
        const { removedFactors } = await postern.members.removeFactors(id, accountId)
        toast(`${count(removedFactors, 'second factor')} of ${person} removed`)
      },
    },
    keys: {
      title: `Delete the API keys that ${person} created?`,
      action: 'Delete keys',
      text: 'Those that they created or rotated, and those that were created with them, stop working immediately.',
      name: textOf(member.email),
      async work() {
        const { deletedApiKeys } = await postern.members.deleteApiKeys(id, accountId)
        outdate('api-keys')
        toast(`${count(deletedApiKeys, 'API key', 'API keys')} deleted`)
      },
    },
    leave: {
      title: `Leave ${textOf(name)}?`,
      action: 'Leave',
      text: 'You lose access immediately and can only come back with a new invitation.',
      name: textOf(name),
      async work() {
        await postern.members.leave(id)
        await personChanged()
        const who = session.get()
        const [next] = who.state === 'in' ? who.person.organizations : []
        if (next !== undefined) go(to('/', {}, next.id), { replace: true })
      },
    },
  }[what]
  return (
    <Confirm
      title={words.title}
      action={words.action}
      danger={what !== 'sessions'}
      {...(words.name === undefined ? {} : { name: words.name })}
      work={async () => {
        await words.work()
        outdate('members')
      }}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {what === 'remove' && may('keys:write') && (
        <label class="check">
          <input
            type="checkbox"
            checked={endKeys}
            onChange={(event) => setEndKeys(event.currentTarget.checked)}
          />
          <span>Also delete the API keys that they created or rotated</span>
        </label>
      )}
    </Confirm>
  )
}
