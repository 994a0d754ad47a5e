import { holdRole, RoleNameSchema, readRoleName } from '../access/accounts/given-role.ts'
import { inviteAnew } from '../access/members/invite-anew.ts'
import { trailOf } from '../audit/audit.ts'
import { toIso } from '../core/clock.ts'
import { parseId } from '../core/id.ts'
import { normalizeEmail } from '../core/text/email.ts'
import { notFound } from '../db/owned-row.ts'
import { Type } from '../http/schema/type.ts'
import { EmailSchema, IdSchema, Moment, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { OperatorDeps } from './deps.ts'
import { readOrganization } from './organization-wire.ts'

/** The route that invites an administrator to an organization. */
export function organizationInviteRoutes(server: Server, deps: OperatorDeps): void {
  const { config, once, inviting } = deps

  server.post(
    '/v1/operator/organizations/:id/invitations',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags: ['Operator'],
        operationId: 'createOrganizationInvitation',
        summary: 'Invite a person to an organization',
        description:
          'Like `npx postern invite`: valid for 7 days, mailed if a mail server is configured. It replaces an earlier invitation of that address, whose link ends.',
        params: strict({ id: IdSchema('organization') }),
        body: strict({
          email: EmailSchema,
          role: Type.Optional(Type.String({ ...RoleNameSchema, default: 'administrator' })),
          sendEmail: Type.Optional(
            Type.Boolean({
              description:
                'With `false` you hand over the link yourself. Default: whether a mail server is configured.',
            }),
          ),
        }),
        response: {
          201: Type.Object({
            invitationId: Type.String(),
            email: Type.String(),
            role: Type.String(),
            isMailed: Type.Boolean(),
            expiresAt: Moment,
            acceptUrl: Type.String({ description: 'The link, shown only in this answer, for this person.' }),
          }),
        },
      },
    },
    async (request, reply) => {
      const organizationId = parseId('organization', request.params.id)
      const email = normalizeEmail(request.body.email) as string
      const hasMail = config.mail.smtpUrl !== undefined
      const { role: asked = 'administrator', sendEmail = hasMail } = request.body
      const role = readRoleName(asked)
      return once(request, reply, async (tx) => {
        await readOrganization(tx, config.plans.book, organizationId)
        const wanted = { organizationId, email, role, sendEmail }
        const { invitation, acceptUrl } = await inviteAnew(tx, inviting, trailOf(request), wanted)
        // Accounts are locked before organizations: this waits for a deletion under way.
        if ((await lockOrganization(tx, organizationId)) === undefined) throw notFound('id', organizationId)
        await holdRole(tx, organizationId, role)
        const body = {
          ...{ invitationId: invitation.id, email, role, acceptUrl },
          isMailed: sendEmail && hasMail,
          expiresAt: toIso(invitation.expires_at),
        }
        return { status: 201, body }
      })
    },
  )
}
