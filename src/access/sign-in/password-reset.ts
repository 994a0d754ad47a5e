import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { hashToken } from '../../core/secret.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { afterCommit } from '../../db/database.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, PasswordSchema, SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { passwordChangedMail } from '../../mail/mail-templates.ts'
import { listMemberships, proveMailbox } from '../accounts/accounts.ts'
import { endEntry } from '../accounts/end-entry.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { limitMail } from '../members/invitation-create.ts'
import { consumeToken, isLive } from '../one-time-token.ts'
import { requestMail } from './mail-requests.ts'
import { resetTries, throttleKey } from './sign-in-throttle.ts'

type ResetDeps = Pick<
  AccessDeps,
  | 'config'
  | 'database'
  | 'vault'
  | 'limiter'
  | 'outbox'
  | 'mailsDue'
  | 'passwords'
  | 'credentials'
  | 'endMade'
>

const Status = Type.Object({ status: Type.Boolean() })

/** `POST /v1/auth/forget-password` and `POST /v1/auth/reset-password`. */
export function passwordResetRoutes(server: Server, deps: ResetDeps): void {
  const { config, database, limiter, passwords, outbox, credentials } = deps

  server.post(
    '/v1/auth/forget-password',
    {
      config: { access: 'public', rates: ['mailPerIp'] },
      schema: {
        tags: ['Password reset'],
        operationId: 'requestPasswordReset',
        summary: 'Request a password reset mail',
        description:
          'One answer, whether or not the address has an account. An invited person gets the invitation again.',
        body: strict({
          email: EmailSchema,
          redirectTo: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
        }),
        response: { 200: Status },
      },
    },
    async (request) => {
      const { body, now } = request
      const email = normalizeEmail(body.email) as string
      const returnTo = checkReturnUrl(body.redirectTo, config.web.allowedOrigins, 'redirectTo') ?? null
      await limitMail(limiter, email, now)
      await database.tx((tx) =>
        requestMail(tx, deps, trailOf(request), {
          kind: 'password_reset',
          email,
          bindingHash: null,
          returnTo,
        }),
      )
      return { status: true }
    },
  )

  server.post(
    '/v1/auth/reset-password',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Password reset'],
        operationId: 'resetPassword',
        summary: 'Replace the password',
        description:
          'Ends every session of the account and begins none. A password that is refused does not use up the token.',
        body: strict({ token: SecretSchema, newPassword: PasswordSchema }),
        response: { 200: Status },
      },
    },
    async (request) => {
      const { now, body } = request
      const trail = trailOf(request)
      const badToken = new ApiError('VALIDATION_FAILED', { field: 'token', value: '[redacted]' })
      const asked = await database.db
        .selectFrom('one_time_token')
        .select(['email', 'account_id'])
        .where('token_hash', '=', hashToken(body.token))
        .where('purpose', '=', 'password_reset')
        .where(isLive('password_reset', now))
        .executeTakeFirst()
      if (asked === undefined) throw badToken
      const names = (await listMemberships(database.db, config, asked.account_id, now)).map(
        ({ name }) => name,
      )
      await passwords.refuseCommon(body.newPassword, asked.email, 'newPassword', names)
      const passwordHash = await passwords.hash(body.newPassword)
      await database.tx(async (tx) => {
        // The account first: the lock waits for a sign-in with the old password, whose session is then ended.
        const locked = await lockAccount(tx, asked.account_id)
        // It was read above and is consumed here, so that of concurrent requests one replaces the password.
        const row = await consumeToken(tx, 'password_reset', body.token, now)
        if (row === undefined || locked?.status !== 'active') throw badToken
        if (locked.email_verified_at === null) await proveMailbox(tx, deps, trail, locked)
        else await endEntry(tx, trail, locked.id)
        const account = await tx
          .updateTable('account')
          .set({ password_hash: passwordHash, updated_at: now })
          .where('id', '=', row.account_id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await resetTries(tx, throttleKey(account.email, undefined))
        await audit(tx, trail, {
          action: 'password.changed',
          accountId: account.id,
          actorId: account.id,
          details: { how: 'reset' },
        })
        await outbox.queue(tx, now, {
          to: account.email,
          template: passwordChangedMail({ how: 'reset', ip: trail.ip }),
        })
        afterCommit(tx, credentials.clear)
      })
      return { status: true }
    },
  )
}
