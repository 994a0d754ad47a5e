import { audit, trailOf } from '../../audit/audit.ts'
import { toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { afterCommit } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { isPending } from '../../db/plausible-time.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { sessionOf } from '../../http/principal.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { clearSessionCookie, findSession, SESSION_MOST, SignedInSchema, toSignedIn } from './sessions.ts'
import { type LeaveProvider, signOut } from './sign-out.ts'

/** Listing and ending one's own sessions (ASVS 7.5.2), and sign-out. */
export function sessionRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'credentials'> & { leaveProvider: LeaveProvider },
): void {
  const { config, database, credentials, leaveProvider } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.get(
    '/v1/auth/session',
    {
      config: { access: 'session', ofOrganization: true },
      schema: {
        tags: ['Sessions'],
        operationId: 'readSession',
        summary: 'Read the session and its user',
        response: { 200: SignedInSchema },
      },
    },
    async (request) => {
      const { sessionId, accountId } = sessionOf(request)
      const { db } = database
      const session = await db
        .selectFrom('session')
        .selectAll()
        .where('id', '=', sessionId)
        .executeTakeFirst()
      const account = await db
        .selectFrom('account')
        .selectAll()
        .where('id', '=', accountId)
        .executeTakeFirst()
      if (session === undefined || account === undefined) throw new ApiError('UNAUTHORIZED', {})
      return toSignedIn(db, { config }, account, session, request.now)
    },
  )

  server.get(
    '/v1/auth/sessions',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Sessions'],
        operationId: 'listSessions',
        summary: "List the account's sessions",
        response: {
          200: Type.Object({
            data: Type.Array(
              Type.Object({
                id: Type.String(),
                current: Type.Boolean(),
                ip: Type.String(),
                userAgent: Type.String(),
                createdAt: Moment,
                lastSeenAt: Moment,
                expiresAt: Moment,
              }),
            ),
            nextCursor: NoCursor,
          }),
        },
      },
    },
    async (request) => {
      const { sessionId, accountId } = sessionOf(request)
      const rows = await database.db
        .selectFrom('session')
        .selectAll()
        .where('account_id', '=', accountId)
        .where(isPending('expires_at', request.now, SESSION_MOST))
        .where('last_seen_at', '>', request.now - LIFETIME.sessionIdle)
        .orderBy('id', 'desc')
        .execute()
      const data = rows.map((row) => ({
        id: row.id,
        current: row.id === sessionId,
        ip: row.ip,
        userAgent: row.user_agent,
        createdAt: toIso(row.created_at),
        lastSeenAt: toIso(row.last_seen_at),
        expiresAt: toIso(row.expires_at),
      }))
      return { data, nextCursor: null }
    },
  )

  server.delete(
    '/v1/auth/sessions/:id',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Sessions'],
        operationId: 'endSession',
        summary: 'End one of the sessions',
        params: strict({ id: IdSchema('session') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = sessionOf(request)
      const id = parseId('session', request.params.id)
      await database.tx(async (tx) => {
        const ended = await tx
          .deleteFrom('session')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .returning('id')
          .executeTakeFirst()
        if (ended === undefined) throw notFound('id', id)
        await audit(tx, trailOf(request), {
          action: 'session.ended',
          accountId,
          actorId: accountId,
          targetId: id,
        })
        afterCommit(tx, () => credentials.clearPeople([accountId]))
      })
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/auth/sign-out',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Sessions'],
        operationId: 'signOut',
        summary: 'End the session',
        description:
          'Idempotent: without a session it also succeeds. If an identity provider with `endsProviderSession` began the session, the answer has `redirectTo`: send the browser there, and the session at the provider also ends. The browser then returns to `callbackURL`, or to a page that confirms the sign-out.',
        querystring: strict({ callbackURL: Type.Optional(returnUrlSchema(config.web.allowedOrigins)) }),
        response: {
          200: Type.Object({
            success: Type.Boolean(),
            redirectTo: Type.Optional(
              Type.String({ description: 'Where the browser signs out at the identity provider.' }),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { allowedOrigins, baseUrl } = config.web
      const callbackURL = checkReturnUrl(request.query.callbackURL, allowedOrigins, 'callbackURL')
      const session = await findSession(database.db, request.cookies[cookies.session], request.now)
      const ended =
        session && (await database.tx((tx) => signOut(tx, { credentials }, trailOf(request), session)))
      clearSessionCookie(reply, cookies)
      const redirectTo =
        ended && (await leaveProvider(request, reply, ended, callbackURL ?? `${baseUrl}/sign-out`))
      return { success: true, ...(redirectTo !== undefined && { redirectTo }) }
    },
  )
}
