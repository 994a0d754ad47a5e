import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { LiveView } from '../../live/live-kinds.ts'
import { type MailStatus, mailStatuses, NO_MAIL } from '../../mail/outbox.ts'
import { roleNameOf, roleOf } from '../accounts/role-columns.ts'
import { MailDeliveryFields, toMailDelivery } from './mail-wire.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const

export const InvitationSchema = Type.Object({
  id: Type.String(),
  email: Type.String(),
  organizationId: Type.String(),
  role: Type.String(),
  roleName: Nullable(Type.String()),
  status: Type.String({ enum: [...INVITATION_STATUSES] }),
  inviterId: Nullable(Type.String()),
  createdAt: Moment,
  expiresAt: Moment,
  acceptedAt: Nullable(Moment),
  revokedAt: Nullable(Moment),
  delivery: Type.Object(MailDeliveryFields),
  acceptUrl: Type.Optional(
    Type.String({ description: 'Only in the answer that creates it with `sendEmail: false`.' }),
  ),
})

/** An invitation with the name of its role. */
type Invitation = Tables['invitation'] & { role_name: string | null }

export function selectInvitations(db: Db | Tx) {
  return db
    .selectFrom('invitation')
    .leftJoin('role', 'role.id', 'invitation.role_id')
    .selectAll('invitation')
    .select('role.name as role_name')
}

/** An invitation for an answer. */
export async function showInvitation(
  db: Db | Tx,
  { id }: Pick<Tables['invitation'], 'id'>,
  now: Millis,
): Promise<Static<typeof InvitationSchema>> {
  const row = await selectInvitations(db).where('invitation.id', '=', id).executeTakeFirstOrThrow()
  const mails = await mailStatuses(db, [id])
  return toInvitation(row, mails.get(id) ?? NO_MAIL, now)
}

/** The `Invitation` of decisions: access; the token is never in it. */
export function toInvitation(
  row: Invitation,
  mail: MailStatus,
  now: Millis,
): Static<typeof InvitationSchema> {
  return {
    id: row.id,
    email: row.email,
    organizationId: row.organization_id,
    role: roleOf(row),
    roleName: roleNameOf(row),
    status: row.status === 'pending' && row.expires_at <= now ? 'expired' : row.status,
    inviterId: row.inviter_id,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    acceptedAt: toIsoOrNull(row.accepted_at),
    revokedAt: toIsoOrNull(row.revoked_at),
    delivery: toMailDelivery(mail),
  }
}

/** Invitations in the live stream. */
export const invitationView: LiveView = {
  kind: 'invitation',
  async show(db, ids, now) {
    const invitations = ids as Id<'invitation'>[]
    const rows = await selectInvitations(db).where('invitation.id', 'in', invitations).execute()
    const mails = await mailStatuses(db, invitations)
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: '' },
      data: toInvitation(row, mails.get(row.id) ?? NO_MAIL, now),
    }))
  },
}
