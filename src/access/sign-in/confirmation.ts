import { audit, type Trail, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { equalInConstantTime, hashToken } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import type { Static } from '../../http/schema/type.ts'
import { Type } from '../../http/schema/type.ts'
import { SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { confirmationMail } from '../../mail/mail-templates.ts'
import { type Account, admit, invitationRequired, type Profile, toUser } from '../accounts/accounts.ts'
import { lockAccount, lockAddress } from '../accounts/lock-account.ts'
import { findPending } from '../accounts/pending-invitations.ts'
import type { AccessDeps } from '../deps.ts'
import { consumeToken, isLive, issueToken, type OneTimeToken, payloadOf } from '../one-time-token.ts'
import { completeSignIn, SignedInSchema, setSignInCookie } from '../sessions/sessions.ts'
import { rememberDevice } from './device.ts'

type ConfirmDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'publish' | 'passwords' | 'credentials' | 'endMade'
>

const Confirm = strict({
  token: SecretSchema,
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      writeOnly: true,
      description: 'The password of the sign-up. Required in every browser except the one that signed up.',
    }),
  ),
})

/**
 * `POST /v1/auth/verify-email`: completes a sign-up that was made without an invitation's link.
 *
 * A stranger can sign up with an invited address, whose owner expects a mail. So the link alone completes only a sign-up of the
 * same browser (its cookie); any other browser must show the password of the sign-up. A mail scanner that opens the link completes
 * nothing.
 */
export function confirmationRoutes(server: Server, deps: ConfirmDeps): void {
  const { config, database, vault, publish } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/verify-email',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Sign-up'],
        operationId: 'verifyEmail',
        summary: 'Confirm the address of a sign-up',
        description:
          '`{ token }` in the browser that signed up, `{ token, password }` in any other: there, without the password, the answer is `MISSING_REQUIRED_FIELD`.',
        body: Confirm,
        response: { 200: SignedInSchema },
      },
    },
    async (request, reply) => {
      const trail = trailOf(request)
      const { body, now } = request
      const badToken = new ApiError('VALIDATION_FAILED', { field: 'token', value: '[redacted]' })
      const waiting = await findConfirmation(database.db, body.token, now)
      if (waiting === undefined) throw badToken
      const profile = payloadOf<Profile>(vault, waiting)
      await mustBeTheSame(deps, waiting, profile, body, bindingOf(request, cookies.confirm))
      const entered = await database.tx(async (tx) => {
        await lockAccount(tx, waiting.account_id)
        // It was read above and is consumed here, so that of concurrent requests one completes the sign-up.
        const row = await consumeToken(tx, 'confirmation', body.token, now)
        if (row === undefined) throw badToken
        const account = await admit(tx, publish, trail, {
          because: 'sign_up_completed',
          email: row.email,
          profile,
          mailboxProven: true,
          deps,
          how: 'confirmation',
        })
        const arrival = { how: 'sign_up', replaces: request.cookies[cookies.session] }
        return completeSignIn(tx, deps, trail, account, arrival)
      })
      const { answer } = setSignInCookie(reply, cookies, entered)
      rememberDevice(reply, vault, cookies, answer.user.email)
      void reply.clearCookie(cookies.confirm, cookies.options)
      return answer
    },
  )
}

async function findConfirmation(db: Db, token: string, now: Millis): Promise<OneTimeToken | undefined> {
  return db
    .selectFrom('one_time_token')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('purpose', '=', 'confirmation')
    .where(isLive('confirmation', now))
    .executeTakeFirst()
}

/**
 * Checks that the confirming browser also signed up, or shows the password of the sign-up. A wrong password does not use up the link.
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED
 */
async function mustBeTheSame(
  { passwords }: Pick<AccessDeps, 'passwords'>,
  { binding_hash }: OneTimeToken,
  { passwordHash }: Profile,
  { password }: Static<typeof Confirm>,
  binding: string | undefined,
): Promise<void> {
  if (binding !== undefined && equalInConstantTime(hashToken(binding), binding_hash ?? '')) return
  if (password === undefined)
    throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'password', reason: 'another_browser' })
  if (!(await passwords.verify(passwordHash, password)))
    throw new ApiError('VALIDATION_FAILED', {
      field: 'password',
      value: '[redacted]',
      reason: 'another_password',
    })
}

interface SignUp {
  email: string
  profile: Profile
  /** The binding of the browser that signs up. */
  binding: string
}

/**
 * Stores the data of a sign-up, sealed, in the confirmation: the account gets no password that its owner has not confirmed, and a sign-up
 * by the invitation's link ends the confirmation. Confirmations of several browsers coexist, so that a stranger's does not end the owner's.
 */
export async function requestConfirmation(
  tx: Tx,
  { config, vault, outbox }: Pick<AccessDeps, 'config' | 'vault' | 'outbox'>,
  trail: Trail,
  { email, profile, binding }: SignUp,
): Promise<ReturnType<typeof toUser>> {
  const account = await lockAddress(tx, email)
  const pending = await findPending(tx, email, trail.now)
  if (account?.status !== 'inactive' || pending.length === 0) throw invitationRequired()
  const token = await issueToken(tx, vault, {
    purpose: 'confirmation',
    account,
    now: trail.now,
    payload: profile,
    bindingHash: hashToken(binding),
  })
  await outbox.queue(tx, trail.now, {
    to: email,
    template: confirmationMail({
      name: `${profile.firstName} ${profile.lastName}`,
      ip: trail.ip,
      url: `${config.web.appUrl}/confirm-email?token=${token}`,
    }),
  })
  await audit(tx, trail, { action: 'account.sign_up_started', accountId: account.id })
  const shown: Account = {
    ...account,
    first_name: profile.firstName,
    last_name: profile.lastName,
    terms_accepted_at: profile.termsAcceptedAt,
  }
  return toUser(shown, [])
}
