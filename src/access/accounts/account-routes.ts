import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { readLanguage } from '../../core/language.ts'
import { afterCommit } from '../../db/database.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { LanguageSchema, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { listMemberships, toUser, UserSchema } from './accounts.ts'
import { endEntry } from './end-entry.ts'
import { lockAccount } from './lock-account.ts'

/** Routes for one's own account, except the password (`sign-in/own-password.ts`). */
export function accountRoutes(
  server: Server,
  { config, database, credentials }: Pick<AccessDeps, 'config' | 'database' | 'credentials'>,
): void {
  server.patch(
    '/v1/auth/account',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Sessions'],
        operationId: 'changeAccount',
        summary: 'Change the names and the language of the own account',
        body: strict(
          {
            firstName: Type.Optional(NameSchema),
            lastName: Type.Optional(NameSchema),
            language: Type.Optional(Nullable(LanguageSchema)),
          },
          { minProperties: 1 },
        ),
        response: { 200: UserSchema },
      },
    },
    async (request) => {
      const { accountId } = sessionOf(request)
      const { firstName, lastName } = request.body
      const language = request.body.language === null ? null : readLanguage(request.body.language)
      return database.tx(async (tx) => {
        const before = await lockAccount(tx, accountId)
        if (before?.status !== 'active') throw new ApiError('UNAUTHORIZED', {})
        const account = {
          ...before,
          first_name: firstName?.trim() ?? before.first_name,
          last_name: lastName?.trim() ?? before.last_name,
          language: language === undefined ? before.language : language,
        }
        const { first_name, last_name } = account
        const isRenamed = first_name !== before.first_name || last_name !== before.last_name
        if (isRenamed || account.language !== before.language) {
          await tx
            .updateTable('account')
            .set({ first_name, last_name, language: account.language, updated_at: request.now })
            .where('id', '=', accountId)
            .execute()
          await audit(tx, trailOf(request), {
            action: 'account.updated',
            accountId,
            actorId: accountId,
            targetId: accountId,
            details: { firstName: first_name, lastName: last_name, language: account.language },
          })
        }
        return toUser(account, await listMemberships(tx, config, accountId, request.now))
      })
    },
  )

  server.delete(
    '/v1/auth/sessions',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Sessions'],
        operationId: 'endOtherSessions',
        summary: 'End all other sessions',
        description:
          'Also ends every mailed link of the account, and its grants to applications. The session of the request stays.',
        response: { 200: Type.Object({ endedSessions: Type.Integer() }) },
      },
    },
    async (request) => {
      const { accountId, sessionId } = sessionOf(request)
      const endedSessions = await database.tx(async (tx) => {
        // The lock waits for a sign-in under way, so that its session ends too.
        await lockAccount(tx, accountId)
        const ended = await endEntry(tx, trailOf(request), accountId, { keep: sessionId })
        if (ended > 0)
          await audit(tx, trailOf(request), {
            action: 'session.ended',
            accountId,
            actorId: accountId,
            details: { because: 'others', count: ended },
          })
        afterCommit(tx, credentials.clear)
        return ended
      })
      return { endedSessions }
    },
  )
}
