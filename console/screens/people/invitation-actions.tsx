import { useState } from 'preact/hooks'
import type { Invitation } from '#sdk/postern.ts'
import { answered, outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { toast } from '../../parts/toast.tsx'
import { USUAL_DAYS } from './send-invitations.ts'

export type Asked = { what: 'resend' | 'revoke' | 'link'; invitation: Invitation }

const isOver = ({ status }: Invitation) => status === 'accepted' || status === 'revoked'

/** Why an invitation cannot be sent again or taken back. */
export function reasonOf(invitation: Invitation, what: Asked['what'], reason?: string): string | undefined {
  if (reason !== undefined) return reason
  if (invitation.status === 'accepted') return 'Already accepted'
  if (invitation.status === 'revoked') return 'Already revoked'
  return what === 'revoke' && invitation.status === 'expired' ? 'Expired' : undefined
}

/** What else one can do with an invitation. */
export function InvitationMenu({
  invitation,
  reason,
  ask,
}: {
  invitation: Invitation
  reason: string | undefined
  ask: (asked: Asked) => void
}) {
  const item = (what: Asked['what'], label: string, more: object) => ({
    label,
    reason: reasonOf(invitation, what, reason),
    run: () => ask({ what, invitation }),
    ...more,
  })
  return (
    <Menu
      small
      label={`More for ${textOf(invitation.email)}`}
      items={[
        item('resend', 'Resend', { icon: 'send' }),
        item('link', 'Replace with a link', { icon: 'link' }),
        item('revoke', 'Revoke', { icon: 'trash', danger: true }),
      ]}
    />
  )
}

/** Asks before an action on an invitation, runs it, and shows the new link if there is one. */
export function InvitationDialogs({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) {
  const [made, setMade] = useState<Invitation | undefined>()
  if (made !== undefined)
    return (
      <SecretOnce
        title={`The link for ${textOf(made.email)}`}
        secret={textOf(made.acceptUrl)}
        what="link"
        onClose={() => setMade(undefined)}
      >
        <p class="quiet">Anybody who opens it can join with this address until it expires.</p>
      </SecretOnce>
    )
  if (asked === undefined) return null
  const { what, invitation } = asked
  const { id, email, role } = invitation
  const words = {
    resend: {
      title: `Resend to ${textOf(email)}?`,
      action: 'Resend',
      text: 'The mail contains a new link. The old link stops working.',
      async work() {
        answered(`invitations/${id}`, await postern.invitations.resend(id))
        toast(`Mail sent to ${textOf(email)}`)
      },
    },
    link: {
      title: `Create a link for ${textOf(email)}?`,
      action: 'Show the link',
      text: `This invitation is revoked and replaced by a new one, valid for ${USUAL_DAYS} days. Its link is shown once; no mail is sent.`,
      async work() {
        if (!isOver(invitation)) await postern.invitations.revoke(id)
        setMade(
          await postern.invitations.create({
            ...{ email, role, sendEmail: false },
          }),
        )
      },
    },
    revoke: {
      title: `Revoke the invitation of ${textOf(email)}?`,
      action: 'Revoke',
      text: 'The link stops working immediately. You can invite the person again.',
      work: () => postern.invitations.revoke(id),
    },
  }[what]
  return (
    <Confirm
      title={words.title}
      action={words.action}
      danger={what === 'revoke'}
      work={async () => {
        await words.work()
        outdate('invitations')
      }}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </Confirm>
  )
}
