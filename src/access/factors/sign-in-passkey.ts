import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { completeSignIn, SignedInSchema, setSignInCookie } from '../sessions/sessions.ts'
import { rememberDevice } from '../sign-in/device.ts'
import { issueChallenge } from './passkey-challenge.ts'
import { OptionsSchema, requestOptions } from './passkey-options.ts'
import { Assertion, accountOf } from './passkeys.ts'
import { provePasskey } from './prove-passkey.ts'
import { showFactor } from './show-factor.ts'

type PasskeyDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'outbox' | 'publish' | 'credentials'>

/**
 * `POST /v1/auth/sign-in/passkey/options` and `POST /v1/auth/sign-in/passkey`. The device verifies the person (finger, face or PIN), so a
 * passkey counts as both factors.
 */
export function signInPasskeyRoutes(server: Server, deps: PasskeyDeps): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/sign-in/passkey/options',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'startPasskeySignIn',
        summary: 'Begin to sign in with a passkey',
        description:
          'The browser offers the passkeys that it has for this server. Sets a cookie that binds the answer to this browser.',
        response: { 200: OptionsSchema },
      },
    },
    async (request, reply) => {
      const binding = bindingOf(request, cookies.passkey) ?? newToken()
      const key = { purpose: 'sign_in', binding, accountId: null } as const
      const challenge = await database.tx((tx) => issueChallenge(tx, key, request.now))
      void reply.setCookie(cookies.passkey, binding, {
        ...cookies.options,
        maxAge: LIFETIME.passkeyChallenge / 1_000,
      })
      return { options: await requestOptions(database.db, config, challenge) }
    },
  )

  server.post(
    '/v1/auth/sign-in/passkey',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        description:
          'Takes the answer of the browser, as `toJSON()` writes it. No second factor is required, because the device has verified the person. Every failure has the same answer.',
        body: strict({ credential: Assertion }),
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const { credential } = request.body
      const trail = trailOf(request)
      const accountId = accountOf(credential)
      const binding = bindingOf(request, cookies.passkey)
      if (accountId === undefined || binding === undefined) throw new ApiError('UNAUTHORIZED', {})
      const key = { purpose: 'sign_in', binding, accountId: null } as const
      const proof = await provePasskey(deps, trail, accountId, credential, key)
      const outcome = await database.tx(async (tx) => {
        const account = await lockAccount(tx, accountId)
        if (account === undefined) return undefined
        const isActive = account.status === 'active'
        const shown = isActive ? await showFactor(tx, deps, trail, account, { proof }) : undefined
        // The refusal is not thrown, so that the entry about a cloned passkey commits.
        if (shown === undefined) {
          const details = { how: 'passkey' }
          await audit(tx, trail, { action: 'sign_in.failed', accountId, details })
          return undefined
        }
        const replaces = request.cookies[cookies.session]
        const entered = await completeSignIn(tx, deps, trail, account, { how: 'passkey', replaces, shown })
        return { entered, email: account.email }
      })
      if (outcome === undefined) throw new ApiError('UNAUTHORIZED', {})
      const { answer } = setSignInCookie(reply, cookies, outcome.entered)
      void reply.clearCookie(cookies.passkey, cookies.options)
      rememberDevice(reply, vault, cookies, outcome.email)
      return answer
    },
  )
}
