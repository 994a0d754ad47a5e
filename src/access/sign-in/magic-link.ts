import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME, MAGIC_LINK_TRIES } from '../../core/limits.ts'
import { equalInConstantTime, hashToken, newToken } from '../../core/secret.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Tx } from '../../db/database.ts'
import { readText } from '../../http/body/body-text.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { EmailSchema, Nullable, SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type Account, proveMailbox, UserSchema } from '../accounts/accounts.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { limitMail } from '../members/invitation-create.ts'
import { isLive, type OneTimeToken, payloadOf } from '../one-time-token.ts'
import { redirectToSecondFactor } from '../sessions/pending-sign-in.ts'
import { completeSignIn, SessionSchema, setSignInCookie } from '../sessions/sessions.ts'
import { requestMail } from './mail-requests.ts'

type MagicLinkDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'limiter' | 'mailsDue' | 'publish' | 'credentials' | 'endMade'
>

const Proof = strict({
  token: Type.Optional(SecretSchema),
  email: Type.Optional(EmailSchema),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 32, writeOnly: true })),
})

/**
 * `POST /v1/auth/magic-link` and `POST /v1/auth/magic-link/verify`.
 *
 * Mail scanners open links and press buttons, and an attacker may request a link to another person's mailbox. So the link or the
 * code alone signs in only the browser that requested it (its binding cookie); any other browser needs both.
 */
export function magicLinkRoutes(server: Server, deps: MagicLinkDeps): void {
  const { config, database, limiter, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/magic-link',
    {
      config: { access: 'public', rates: ['mailPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'requestMagicLink',
        summary: 'Request a sign-in link',
        description:
          'One answer, whether or not the address has an account. Sets a cookie that binds the link to this browser.',
        body: strict({
          email: EmailSchema,
          callbackURL: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
        }),
        response: { 200: Type.Object({ status: Type.Boolean() }) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const email = normalizeEmail(body.email) as string
      const returnTo = checkReturnUrl(body.callbackURL, config.web.allowedOrigins, 'callbackURL') ?? null
      await limitMail(limiter, email, now)
      const binding = newToken()
      await database.tx((tx) =>
        requestMail(tx, deps, trailOf(request), {
          kind: 'magic_link',
          email,
          bindingHash: hashToken(binding),
          returnTo,
        }),
      )
      void reply.setCookie(cookies.binding, binding, {
        ...cookies.options,
        maxAge: LIFETIME.magicLink / 1_000,
      })
      return { status: true }
    },
  )

  server.register(async (scope) => {
    // The one route that takes a plain form as well: a page without scripts can post to it.
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      async ({ headers }: FastifyRequest, bytes: Buffer) =>
        Object.fromEntries(new URLSearchParams(readText(headers, bytes, 'malformed_form'))),
    )
    scope.withTypeProvider().post<{ Body: Static<typeof Proof> }>(
      '/v1/auth/magic-link/verify',
      {
        config: { access: 'public', rates: ['secretPerIp'] },
        schema: {
          tags: ['Sign-in'],
          operationId: 'signInWithMagicLink',
          summary: 'Sign in with the link or the code',
          description:
            '`{ token }` in the browser that asked, `{ email, code }` there, or `{ token, code }` anywhere else. A posted form is answered with a redirect.',
          body: Proof,
          response: {
            200: Type.Object({
              user: UserSchema,
              session: SessionSchema,
              callbackURL: Nullable(Type.String()),
            }),
          },
        },
      },
      async (request, reply) => {
        const trail = trailOf(request)
        const binding = request.cookies[cookies.binding]
        const outcome = await database.tx(async (tx) => {
          const redeemed = await redeem(tx, deps, request.body, binding, request.now)
          // It does not throw, because the transaction must keep the count of tries.
          if (redeemed === undefined) return undefined
          const account = await proveMailbox(tx, deps, trail, redeemed.account)
          const { returnTo } = payloadOf<{ returnTo: string | null }>(vault, redeemed.row)
          const arrival = { how: 'magic_link', replaces: request.cookies[cookies.session], returnTo }
          return { returnTo, entered: await completeSignIn(tx, deps, trail, account, arrival) }
        })
        if (outcome === undefined) throw new ApiError('UNAUTHORIZED', {})
        const { returnTo, entered } = outcome
        void reply.clearCookie(cookies.binding, cookies.options)
        const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
        if (isForm && entered.kind === 'pending')
          return redirectToSecondFactor(reply, config.web.baseUrl, cookies, entered, 303)
        const { answer } = setSignInCookie(reply, cookies, entered)
        if (isForm) return reply.redirect(returnTo ?? config.web.appUrl, 303)
        return { ...answer, callbackURL: returnTo }
      },
    )
  })
}

interface Redeemed {
  row: OneTimeToken
  /** Active, and locked. */
  account: Account
}

/**
 * Consumes the link that matches `proof`, under the lock of its account. So a concurrent reset either has ended the link, or comes later
 * and ends the session.
 * @returns undefined when no link matches; the count of tries is kept
 */
async function redeem(
  tx: Tx,
  deps: MagicLinkDeps,
  proof: Static<typeof Proof>,
  binding: string | undefined,
  now: number,
): Promise<Redeemed | undefined> {
  const bindingHash = hashToken(binding ?? '')
  const link = await tx
    .selectFrom('one_time_token')
    .select('account_id')
    .where('purpose', '=', 'magic_link')
    .$call((query) =>
      proof.token === undefined
        ? query
            .where('email', '=', normalizeEmail(proof.email ?? '') ?? '')
            .where('binding_hash', '=', bindingHash)
        : query.where('token_hash', '=', hashToken(proof.token)),
    )
    .executeTakeFirst()
  const account = link && (await lockAccount(tx, link.account_id))
  if (account?.status !== 'active') return undefined
  const row = await consume(tx, deps, proof, bindingHash, now)
  return row && { row, account }
}

/**
 * A try is counted before its code is compared, so that of any number of concurrent requests five are compared; the fifth wrong code ends
 * the link.
 */
async function consume(
  tx: Tx,
  { vault }: MagicLinkDeps,
  proof: Static<typeof Proof>,
  bindingHash: string,
  now: number,
): Promise<OneTimeToken | undefined> {
  const live = tx
    .deleteFrom('one_time_token')
    .where('purpose', '=', 'magic_link')
    .where(isLive('magic_link', now))
  if (proof.token !== undefined && proof.code === undefined) {
    return live
      .where('token_hash', '=', hashToken(proof.token))
      .where('binding_hash', '=', bindingHash)
      .returningAll()
      .executeTakeFirst()
  }
  if (proof.code === undefined) return undefined
  const tried = await tx
    .updateTable('one_time_token')
    .set({ wrong_codes: sql`wrong_codes + 1` })
    .where('purpose', '=', 'magic_link')
    .where(isLive('magic_link', now))
    .where('wrong_codes', '<', MAGIC_LINK_TRIES)
    .$if(proof.token !== undefined, (query) => query.where('token_hash', '=', hashToken(proof.token ?? '')))
    .$if(proof.token === undefined, (query) =>
      query
        .where('email', '=', normalizeEmail(proof.email ?? '') ?? '')
        .where('binding_hash', '=', bindingHash),
    )
    .returningAll()
    .executeTakeFirst()
  if (tried === undefined) return undefined
  const typed = proof.code.toUpperCase().replace(/[\s-]/g, '')
  const isRight = equalInConstantTime(vault.mac(typed, `code:${tried.account_id}`), tried.code_hash ?? '')
  if (!isRight && tried.wrong_codes < MAGIC_LINK_TRIES) return undefined
  const ended = await live.where('token_hash', '=', tried.token_hash).returningAll().executeTakeFirst()
  return isRight ? ended : undefined
}
