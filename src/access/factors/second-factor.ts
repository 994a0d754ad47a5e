import { trailOf } from '../../audit/audit.ts'
import { toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { FACTOR_TRIES } from '../../core/limits.ts'
import { hashToken } from '../../core/secret.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { UserSchema } from '../accounts/accounts.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import {
  countFactorTry,
  endPending,
  FACTOR_METHODS,
  findPendingSignIn,
  listMethods,
} from '../sessions/pending-sign-in.ts'
import { completeSignIn, findSignInProvider, SessionSchema, setSignInCookie } from '../sessions/sessions.ts'
import { rememberDevice } from '../sign-in/device.ts'
import { issueChallenge } from './passkey-challenge.ts'
import { OptionsSchema, requestOptions } from './passkey-options.ts'
import { readShown, Shown } from './show-factor.ts'
import { tryFactor } from './try-factor.ts'

type SecondFactorDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'outbox' | 'publish' | 'credentials'
>

/** The error for a pending sign-in that is missing, has expired or has ended. */
const nothingPending = () => new ApiError('UNAUTHORIZED', { reason: 'no_pending_sign_in' })

/**
 * `POST /v1/auth/sign-in/second-factor`: completes a sign-in of any kind. Tries are counted by pending sign-in and by account, so that a
 * new sign-in gives no further tries.
 */
export function secondFactorRoutes(server: Server, deps: SecondFactorDeps): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.get(
    '/v1/auth/sign-in/second-factor',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'readPendingSignIn',
        summary: 'Read a sign-in that requires a second factor',
        description:
          'For a page to which a redirect led. `UNAUTHORIZED` where this browser has no sign-in that waits.',
        response: {
          200: Type.Object({
            methods: Type.Array(Type.String({ enum: [...FACTOR_METHODS] })),
            expiresAt: Moment,
          }),
        },
      },
    },
    async (request) => {
      const token = bindingOf(request, cookies.pending)
      const pending = await findPendingSignIn(database.db, token, request.now)
      if (pending === undefined) throw nothingPending()
      const methods = await listMethods(database.db, pending.account_id)
      return { methods, expiresAt: toIso(pending.expires_at) }
    },
  )

  server.post(
    '/v1/auth/sign-in/second-factor/options',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'startPasskeyFactor',
        summary: 'Start to use a passkey as a second factor',
        description: 'In the browser whose sign-in waits.',
        response: { 200: OptionsSchema },
      },
    },
    async (request) => {
      const { now } = request
      const token = bindingOf(request, cookies.pending)
      const pending = await findPendingSignIn(database.db, token, now)
      if (pending === undefined || token === undefined) throw nothingPending()
      const { account_id: accountId } = pending
      const key = { purpose: 'second_factor', binding: token, accountId } as const
      const challenge = await database.tx((tx) => issueChallenge(tx, key, now))
      return { options: await requestOptions(database.db, config, challenge, accountId) }
    },
  )

  server.post(
    '/v1/auth/sign-in/second-factor',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Second factors'],
        operationId: 'signInWithSecondFactor',
        summary: 'Complete a sign-in with a second factor',
        description:
          'After a sign-in answered `UNAUTHORIZED` with `reason: second_factor_required`, in the same browser, within 10 minutes and five tries. `{ code }` of an authenticator app, `{ recoveryCode }`, or `{ passkey }`; each is valid once.',
        body: Shown,
        response: {
          200: Type.Object({
            user: UserSchema,
            session: SessionSchema,
            callbackURL: Nullable(
              Type.String({ description: 'Where the sign-in was to lead; null where it named nothing.' }),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { now } = request
      const trail = trailOf(request)
      const token = bindingOf(request, cookies.pending)
      const asked = await findPendingSignIn(database.db, token, now)
      if (asked === undefined || token === undefined) throw nothingPending()
      const key = { purpose: 'second_factor', binding: token, accountId: asked.account_id } as const
      const given = await readShown(deps, trail, request.body, key)
      const outcome = await database.tx(async (tx) => {
        const account = await lockAccount(tx, asked.account_id)
        if (account?.status !== 'active') return undefined
        // Before the sign-in that waits, as a sign-out that the provider reports locks them.
        const by = await findSignInProvider(tx, asked)
        const pending = await countFactorTry(tx, hashToken(token), now)
        if (pending === undefined) return undefined
        const shown = await tryFactor(tx, deps, request, account, { given, how: 'second_factor' })
        if (shown === undefined) return { triesLeft: FACTOR_TRIES - pending.tries }
        await endPending(tx, pending.token_hash)
        const replaces = request.cookies[cookies.session]
        const entered = await completeSignIn(tx, deps, trail, account, {
          how: pending.how,
          replaces,
          shown,
          by,
        })
        return { entered, email: account.email, callbackURL: pending.return_to }
      })
      if (outcome === undefined) throw nothingPending()
      if ('triesLeft' in outcome) {
        const { triesLeft } = outcome
        if (triesLeft === 0) void reply.clearCookie(cookies.pending, cookies.options)
        throw new ApiError('UNAUTHORIZED', { reason: 'wrong_factor', triesLeft })
      }
      const { answer } = setSignInCookie(reply, cookies, outcome.entered)
      void reply.clearCookie(cookies.pending, cookies.options)
      rememberDevice(reply, vault, cookies, outcome.email)
      return { ...answer, callbackURL: outcome.callbackURL }
    },
  )
}
