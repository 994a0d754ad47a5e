import { audit, trailOf } from '../../audit/audit.ts'
import { toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import {
  EmailSchema,
  IdSchema,
  Moment,
  Nullable,
  SecretSchema,
  strict,
} from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { mailStatuses, NO_MAIL } from '../../mail/outbox.ts'
import { mustBeAbleToGive } from '../accounts/given-role.ts'
import { findByToken, findOpened } from '../accounts/pending-invitations.ts'
import { roleNameOf, roleOf } from '../accounts/role-columns.ts'
import { mustTakeOwnSignIn } from '../accounts/sign-in-required.ts'
import type { AccessDeps } from '../deps.ts'
import { findRoleNames, readRole } from '../roles/role-store.ts'
import { limitMail } from './invitation-create.ts'
import { countInvitation } from './invitation-rate.ts'
import {
  INVITATION_STATUSES,
  InvitationSchema,
  selectInvitations,
  showInvitation,
  toInvitation,
} from './invitation-wire.ts'
import { renew } from './invite.ts'

type InvitationDeps = Pick<AccessDeps, 'config' | 'database' | 'outbox' | 'publish' | 'limiter' | 'once'>

const ById = strict({ id: IdSchema('invitation') })

/** List, read, revoke and resend invitations, and the preview that fills in the sign-up form. */
export function invitationRoutes(server: Server, deps: InvitationDeps): void {
  const { config, database, limiter, once } = deps

  server.get(
    '/v1/invitations',
    {
      config: { access: 'invitations:read' },
      schema: {
        tags: ['Invitations'],
        operationId: 'listInvitations',
        summary: 'List invitations',
        querystring: strict({
          ...PageQuery,
          status: Type.Optional(Type.String({ enum: [...INVITATION_STATUSES] })),
          email: Type.Optional(EmailSchema),
        }),
        response: { 200: Page(InvitationSchema) },
      },
    },
    async (request) => {
      const { now, query } = request
      const { organizationId } = callerOf(request)
      const page = readPage('invitation', query)
      const rows = await selectInvitations(database.db)
        .where('invitation.organization_id', '=', organizationId)
        .$if(query.email !== undefined, (select) =>
          select.where('email', '=', normalizeEmail(query.email ?? '') ?? ''),
        )
        .$if(query.status === 'accepted', (select) => select.where('status', '=', 'accepted'))
        .$if(query.status === 'revoked', (select) => select.where('status', '=', 'revoked'))
        .$if(query.status === 'pending', (select) =>
          select.where('status', '=', 'pending').where('expires_at', '>', now),
        )
        .$if(query.status === 'expired', (select) =>
          select.where((where) =>
            where.or([
              where('status', '=', 'expired'),
              where.and([where('status', '=', 'pending'), where('expires_at', '<=', now)]),
            ]),
          ),
        )
        .$call(inPage(page, 'invitation.id'))
        .execute()
      const mails = await mailStatuses(
        database.db,
        rows.map(({ id }) => id),
      )
      return toPage(rows, page, (row) => toInvitation(row, mails.get(row.id) ?? NO_MAIL, now))
    },
  )

  server.get(
    '/v1/invitations/preview',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Invitations'],
        operationId: 'previewInvitation',
        summary: 'Read the invitation of a link',
        description:
          'Fills in the sign-up form. One answer for a token that is unknown, used, expired or revoked.',
        querystring: strict({ token: SecretSchema }),
        response: {
          200: Type.Object({
            email: Type.String(),
            organizations: Type.Array(
              Type.Object({ name: Type.String(), role: Type.String(), roleName: Nullable(Type.String()) }),
            ),
            expiresAt: Moment,
          }),
        },
      },
    },
    async ({ query, now }) => {
      const { db } = database
      const link = await findByToken(db, query.token, now)
      if (link === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'token' })
      await mustTakeOwnSignIn(db, link.invitation.organization_id)
      const pending = await findOpened(db, link, now)
      const names = await db
        .selectFrom('organization')
        .select(['id', 'name'])
        .where(
          'id',
          'in',
          pending.map(({ organization_id }) => organization_id),
        )
        .execute()
      const nameOf = new Map(names.map(({ id, name }) => [id, name]))
      const roles = await findRoleNames(
        db,
        pending.flatMap(({ role_id }) => role_id ?? []),
      )
      return {
        email: link.invitation.email,
        organizations: pending.map((one) => ({
          name: nameOf.get(one.organization_id) ?? '',
          role: roleOf(one),
          roleName: roleNameOf({ ...one, role_name: roles.get(one.role_id ?? '') ?? null }),
        })),
        expiresAt: toIso(link.invitation.expires_at),
      }
    },
  )

  server.get(
    '/v1/invitations/:id',
    {
      config: { access: 'invitations:read' },
      schema: {
        tags: ['Invitations'],
        operationId: 'readInvitation',
        summary: 'Read an invitation',
        params: ById,
        response: { 200: InvitationSchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'invitation', request.params.id, organizationId)
      return showInvitation(database.db, row, request.now)
    },
  )

  server.delete(
    '/v1/invitations/:id',
    {
      config: { access: 'invitations:write' },
      schema: {
        tags: ['Invitations'],
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        description: 'The link ends at once. Revoking a revoked or expired invitation changes nothing.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      await database.tx(async (tx) => {
        await mustStillHave(tx, caller, 'invitations:write', request.now)
        const { id, status, expires_at } = await getOwned(
          tx,
          'invitation',
          request.params.id,
          organizationId,
          lock,
        )
        if (status === 'accepted') throw new ApiError('FORBIDDEN', { reason: 'invitation_accepted' })
        if (status !== 'pending' || expires_at <= request.now) return
        await tx
          .updateTable('invitation')
          .set({ status: 'revoked', revoked_at: request.now })
          .where('id', '=', id)
          .execute()
        noteChanges(tx, 'invitation', [{ id, organization_id: organizationId }])
        await audit(tx, trailOf(request), {
          action: 'invitation.revoked',
          organizationId,
          actorId,
          targetId: id,
        })
      })
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/invitations/:id/resend',
    {
      config: { access: 'invitations:write', once: true },
      schema: {
        tags: ['Invitations'],
        operationId: 'resendInvitation',
        summary: 'Send an invitation again',
        description: 'With a new link and a new expiry; the old link stops working.',
        params: ById,
        response: { 200: InvitationSchema },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const mayMail = async () => {
        const { email } = await getOwned(database.db, 'invitation', request.params.id, organizationId)
        await countInvitation({ limiter, book: config.plans.book }, caller, request.now)
        await limitMail(limiter, email, request.now)
      }
      const work = async (tx: Tx) => {
        const giver = await mustStillHave(tx, caller, 'invitations:write', request.now)
        const row = await getOwned(tx, 'invitation', request.params.id, organizationId, lock)
        mustBeAbleToGive(giver, await readRole(tx, row))
        const renewed = await renew(tx, { ...deps, appUrl: config.web.appUrl }, row, request.now)
        if (renewed === undefined) throw new ApiError('FORBIDDEN', { reason: `invitation_${row.status}` })
        await audit(tx, trailOf(request), {
          action: 'invitation.resent',
          organizationId,
          actorId,
          targetId: row.id,
        })
        return { status: 200, body: await showInvitation(tx, row, request.now) }
      }
      return once(request, reply, work, mayMail)
    },
  )
}
