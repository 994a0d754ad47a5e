import { audit, trailOf } from '../../audit/audit.ts'
import { repeatable } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { lock } from '../../db/locking.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { networkOf } from '../../http/rate-limit.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { findAccount } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import { completeSignIn, SignedInSchema, setSignInCookie } from '../sessions/sessions.ts'
import { knownDevice, rememberDevice } from './device.ts'
import { countTry, resetTries, throttleKey } from './sign-in-throttle.ts'

type SignInDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'limiter' | 'publish' | 'passwords' | 'credentials'
>

/**
 * Locks the account if its password has not changed. A concurrent reset either has changed the password, or comes later and ends this
 * session.
 */
const lockUnchanged = prepared<{ id: Id<'account'>; passwordHash: string }>()((db, value) =>
  lock(
    db,
    db
      .selectFrom('account')
      .selectAll()
      .where('id', '=', value('id'))
      .where('status', '=', 'active')
      .where('password_hash', '=', value('passwordHash')),
  ),
)

/** `POST /v1/auth/sign-in/email`. Every failure has the same answer after the same work (decisions: access). */
export function signInEmailRoutes(server: Server, deps: SignInDeps): void {
  const { config, database, vault, limiter, passwords } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/sign-in/email',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signInWithEmail',
        summary: 'Sign in with e-mail and password',
        // The rules for new passwords do not apply to existing ones.
        body: strict({
          email: EmailSchema,
          password: Type.String({ minLength: 1, maxLength: 2_048, writeOnly: true }),
        }),
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const email = normalizeEmail(request.body.email) as string
      const { now } = request
      const trail = trailOf(request)
      await limiter.take(`${networkOf(request.ip)} ${email}`, 'signInPerIpAndAccount', now)
      const device = knownDevice(request, vault, cookies, email)
      const key = throttleKey(email, device)
      // A power cut may lose the tries of the last second: an attacker cannot cause one.
      const { account, mayTry } = await repeatable(() =>
        database.relaxed(async (tx) => ({
          account: await findAccount(tx, email),
          mayTry: await countTry(tx, key, now),
        })),
      )
      const candidate = mayTry && account?.status === 'active' ? account.password_hash : null
      const isRight = await passwords.verify(candidate, request.body.password)
      if (!isRight || account === undefined) {
        await database.tx((tx) =>
          audit(tx, trail, {
            action: 'sign_in.failed',
            accountId: account?.id ?? null,
            details: { how: 'password', throttled: !mayTry },
          }),
        )
        throw new ApiError('UNAUTHORIZED', {})
      }
      const renewed = passwords.isOutdated(account.password_hash ?? '')
        ? await passwords.hash(request.body.password)
        : undefined
      const entered = await database.tx(async (tx) => {
        // Between the check and now the password may have been replaced or the account disabled.
        const [current] = await lockUnchanged(tx, {
          id: account.id,
          passwordHash: account.password_hash ?? '',
        })
        if (current === undefined) throw new ApiError('UNAUTHORIZED', {})
        if (renewed !== undefined) {
          await tx
            .updateTable('account')
            .set({ password_hash: renewed })
            .where('id', '=', current.id)
            .execute()
        }
        await resetTries(tx, key)
        return completeSignIn(tx, deps, trail, current, {
          how: 'password',
          replaces: request.cookies[cookies.session],
        })
      })
      const { answer } = setSignInCookie(reply, cookies, entered)
      rememberDevice(reply, vault, cookies, email)
      return answer
    },
  )
}
