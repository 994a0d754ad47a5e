import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { mustHaveRecentProof } from '../factors/recent-proof.ts'
import { limitMail } from '../members/invitation-create.ts'
import { requestMail } from '../sign-in/mail-requests.ts'
import { checkOwnPassword } from '../sign-in/own-password.ts'
import { resetTries } from '../sign-in/sign-in-throttle.ts'
import { endChange, readChange } from './pending-change.ts'

type RequestDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'limiter' | 'mailsDue' | 'passwords'>

const ChangeSchema = Type.Object({
  change: Nullable(
    Type.Object({
      newEmail: Type.String(),
      askedBy: Type.String({ enum: ['person', 'operator'] }),
      isApproved: Type.Boolean({ description: 'By the present mailbox, or by the operator instead of it.' }),
      isConfirmed: Type.Boolean({ description: 'By the new mailbox.' }),
      expiresAt: Moment,
    }),
  ),
})

/** `/v1/auth/change-email`: requests a change of address, reads the pending one, and cancels it. */
export function requestEmailChangeRoutes(server: Server, deps: RequestDeps): void {
  const { database, vault, limiter } = deps

  server.post(
    '/v1/auth/change-email',
    {
      config: { access: 'session', rates: ['mailPerIp'], stepUp: true },
      schema: {
        tags: ['E-mail address'],
        operationId: 'requestEmailChange',
        summary: 'Request a change of the own address',
        description:
          'Sends a link to both mailboxes; the address changes when both have confirmed, within 24 hours. The answer is the same whether or not the address has an account. Requires a second factor within the last 10 minutes; an account without one needs `currentPassword`, or a sign-in within the last 10 minutes. A newer request replaces an earlier one.',
        body: strict({
          newEmail: { ...EmailSchema, description: 'The new address of the account.' },
          currentPassword: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 2_048,
              writeOnly: true,
              description: 'Instead of a recent sign-in, if the account has no second factor.',
            }),
          ),
        }),
        response: { 200: Type.Object({ status: Type.Boolean() }) },
      },
    },
    async (request) => {
      const { sessionId, accountId } = sessionOf(request)
      const { body, now } = request
      const to = normalizeEmail(body.newEmail) as string
      const account = await database.db
        .selectFrom('account')
        .selectAll()
        .where('id', '=', accountId)
        .executeTakeFirst()
      if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
      let triesOf: string | undefined
      if (account.second_factors === 0 && body.currentPassword !== undefined) {
        const typed = { password: body.currentPassword, how: 'change_email' }
        const { isRight, key } = await checkOwnPassword(deps, request, account, typed)
        if (!isRight) throw new ApiError('FORBIDDEN', { reason: 'wrong_password' })
        triesOf = key
      } else await mustHaveRecentProof(database.db, { sessionId, accountId }, now)
      if (to === account.email)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'newEmail',
          value: body.newEmail,
          reason: 'same_address',
        })
      for (const email of [to, account.email]) await limitMail(limiter, email, now)
      await database.tx(async (tx) => {
        if (triesOf !== undefined) await resetTries(tx, triesOf)
        await requestMail(tx, deps, trailOf(request), {
          kind: 'email_change',
          email: account.email,
          bindingHash: null,
          returnTo: null,
          change: { to, accountId, sessionId },
        })
      })
      return { status: true }
    },
  )

  server.get(
    '/v1/auth/change-email',
    {
      config: { access: 'session' },
      schema: {
        tags: ['E-mail address'],
        operationId: 'readEmailChange',
        summary: 'Read the pending change of address',
        description: '`change` is null where none is pending.',
        response: { 200: ChangeSchema },
      },
    },
    async (request) => {
      const { accountId } = sessionOf(request)
      return { change: await readChange(database.db, vault, accountId, request.now) }
    },
  )

  server.delete(
    '/v1/auth/change-email',
    {
      config: { access: 'session' },
      schema: {
        tags: ['E-mail address'],
        operationId: 'cancelEmailChange',
        summary: 'Cancel the pending change of address',
        description: 'Both links stop working. The answer is the same where none is pending.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = sessionOf(request)
      await database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined || !(await endChange(tx, account))) return
        await audit(tx, trailOf(request), {
          action: 'account.email_change_refused',
          accountId,
          actorId: accountId,
          targetId: accountId,
          details: { by: 'session' },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
