import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { PasswordSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { passwordChangedMail } from '../../mail/mail-templates.ts'
import { type Account, listMemberships } from '../accounts/accounts.ts'
import { endEntry } from '../accounts/end-entry.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { checkOwnPassword } from './own-password.ts'
import { resetTries } from './sign-in-throttle.ts'

type ChangeDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'outbox' | 'passwords' | 'credentials'>

/** The answer where the password is wrong, was changed by another request, or is not set. */
const wrongPassword = () => new ApiError('FORBIDDEN', { reason: 'wrong_password' })

/**
 * `POST /v1/auth/change-password`. A session alone is not enough, so that an open browser does not give the account away.
 * Tries count together with those of the sign-in, so that a password is guessed no faster here.
 */
export function changePasswordRoutes(server: Server, deps: ChangeDeps): void {
  const { database, passwords, outbox, credentials } = deps

  server.post(
    '/v1/auth/change-password',
    {
      config: { access: 'session', rates: ['signInPerIp'], stepUp: true },
      schema: {
        tags: ['Sessions'],
        operationId: 'changePassword',
        summary: 'Change the password',
        description:
          'Ends every other session of the account, and every link that was mailed to it. An account without a password needs a reset instead.',
        body: strict({
          currentPassword: Type.String({ minLength: 1, maxLength: 2_048, writeOnly: true }),
          newPassword: PasswordSchema,
        }),
        response: {
          200: Type.Object({ endedSessions: Type.Integer({ description: 'The others, that have ended.' }) }),
        },
      },
    },
    async (request) => {
      const { accountId, sessionId } = sessionOf(request)
      const { body, now } = request
      const trail = trailOf(request)
      const asked = await getAccount(accountId)
      const typed = { password: body.currentPassword, how: 'change_password' }
      const { isRight, key } = await checkOwnPassword(deps, request, asked, typed)
      if (!isRight) throw wrongPassword()
      const names = (await listMemberships(database.db, deps.config, accountId, now)).map(({ name }) => name)
      await passwords.refuseCommon(body.newPassword, asked.email, 'newPassword', names)
      const passwordHash = await passwords.hash(body.newPassword)
      const endedSessions = await database.tx(async (tx) => {
        // The lock waits for a sign-in with the old password, whose session is then ended.
        const account = await lockAccount(tx, accountId)
        if (account?.status !== 'active' || !(await isOpen(tx, sessionId)))
          throw new ApiError('UNAUTHORIZED', {})
        // A concurrent change or reset has replaced the hash that was compared.
        if (account.password_hash !== asked.password_hash) throw wrongPassword()
        await tx
          .updateTable('account')
          .set({ password_hash: passwordHash, updated_at: now })
          .where('id', '=', accountId)
          .execute()
        const ended = await endEntry(tx, trail, accountId, { keep: sessionId })
        await resetTries(tx, key)
        await audit(tx, trail, {
          action: 'password.changed',
          accountId,
          actorId: accountId,
          details: { how: 'change', endedSessions: ended },
        })
        const template = passwordChangedMail({ how: 'changed', ip: trail.ip })
        await outbox.queue(tx, now, { to: account.email, template })
        afterCommit(tx, credentials.clear)
        return ended
      })
      return { endedSessions }
    },
  )

  async function getAccount(id: Id<'account'>): Promise<Account> {
    const account = await database.db
      .selectFrom('account')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (account === undefined) throw new ApiError('UNAUTHORIZED', {})
    return account
  }
}

async function isOpen(tx: Tx, id: Id<'session'>): Promise<boolean> {
  const session = await tx.selectFrom('session').select('id').where('id', '=', id).executeTakeFirst()
  return session !== undefined
}
