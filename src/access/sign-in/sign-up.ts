import { type Trail, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Db, Tx } from '../../db/database.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import {
  EmailSchema,
  NameSchema,
  Nullable,
  PasswordSchema,
  SecretSchema,
  strict,
} from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { admit, invitationRequired, type Profile, type toUser, UserSchema } from '../accounts/accounts.ts'
import { lockAddress } from '../accounts/lock-account.ts'
import { findByToken, findOpened, lockByToken } from '../accounts/pending-invitations.ts'
import type { AccessDeps } from '../deps.ts'
import { limitMail } from '../members/invitation-create.ts'
import { completeSignIn, SessionSchema, setSignInCookie } from '../sessions/sessions.ts'
import { requestConfirmation } from './confirmation.ts'
import { rememberDevice } from './device.ts'

type SignUpDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'limiter' | 'publish' | 'passwords' | 'outbox' | 'credentials' | 'endMade'
>

/**
 * `POST /v1/auth/sign-up/email`.
 *
 * with the token of a mailed invitation: active at once
 * with a token that the inviter was handed: active at once, in that organization, the mailbox not proven
 * without it: inactive, a confirmation is mailed --confirmed--> active
 * SIGN_UP_PROOF=none: active at once (specification 3 to the letter)
 */
export function signUpRoutes(server: Server, deps: SignUpDeps): void {
  const { config, database, vault, passwords, limiter } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/sign-up/email',
    {
      config: { access: 'public', rates: ['signUpPerIp'] },
      schema: {
        tags: ['Sign-up'],
        operationId: 'signUpWithEmail',
        summary: 'Sign up with an invited address',
        description:
          'With the `invitationToken` of the mail the sign-up completes at once. Without it the account stays inactive until the address is confirmed by the mail that is sent.',
        body: strict({
          firstName: NameSchema,
          lastName: NameSchema,
          email: EmailSchema,
          password: PasswordSchema,
          termsAccepted: Type.Boolean({ description: 'Must be true.', ...documented({ const: true }) }),
          invitationToken: Type.Optional(SecretSchema),
        }),
        response: {
          201: Type.Object({
            user: UserSchema,
            session: Nullable(SessionSchema),
            emailVerificationRequired: Type.Boolean(),
          }),
        },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const email = normalizeEmail(body.email) as string
      if (!body.termsAccepted)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'termsAccepted',
          value: false,
          reason: 'must_be_true',
        })
      const names = await invitersNames(database.db, body.invitationToken, now)
      await passwords.refuseCommon(body.password, email, 'password', names)
      if (body.invitationToken === undefined) await limitMail(limiter, email, now)
      const profile: Profile = {
        firstName: body.firstName.trim(),
        lastName: body.lastName.trim(),
        passwordHash: await passwords.hash(body.password),
        termsAcceptedAt: now,
      }
      const binding = bindingOf(request, cookies.confirm) ?? newToken()
      const result = await database.tx((tx) =>
        signUp(tx, deps, trailOf(request), {
          email,
          profile,
          invitationToken: body.invitationToken,
          replaces: request.cookies[cookies.session],
          binding,
        }),
      )
      void reply.code(201)
      if (result.kind === 'to_be_confirmed') {
        void reply.setCookie(cookies.confirm, binding, {
          ...cookies.options,
          maxAge: LIFETIME.confirmation / 1_000,
        })
        return { user: result.user, session: null, emailVerificationRequired: true }
      }
      const { answer } = setSignInCookie(reply, cookies, result)
      rememberDevice(reply, vault, cookies, email)
      return { ...answer, emailVerificationRequired: false }
    },
  )
}

/** The name of the inviting organization, only for the holder of the link, because the refusal of a password reveals it. */
async function invitersNames(db: Db, token: string | undefined, now: Millis): Promise<string[]> {
  if (token === undefined) return []
  const link = await findByToken(db, token, now)
  if (link === undefined) return []
  const { name } = await db
    .selectFrom('organization')
    .select('name')
    .where('id', '=', link.invitation.organization_id)
    .executeTakeFirstOrThrow()
  return [name]
}

/** A sign-up whose address must be confirmed before a session begins. */
interface ToBeConfirmed {
  kind: 'to_be_confirmed'
  user: ReturnType<typeof toUser>
}

type SignedUp = ToBeConfirmed | Awaited<ReturnType<typeof completeSignIn>>

interface SignUpRequest {
  email: string
  profile: Profile
  invitationToken: string | undefined
  /** The session whose cookie the new one replaces. */
  replaces: string | undefined
  /** The binding of a browser whose address must be confirmed. */
  binding: string
}

async function signUp(
  tx: Tx,
  deps: SignUpDeps,
  trail: Trail,
  { email, profile, invitationToken, replaces, binding }: SignUpRequest,
): Promise<SignedUp> {
  const { publish, config } = deps
  await lockAddress(tx, email)
  const link = invitationToken === undefined ? undefined : await lockByToken(tx, invitationToken, trail.now)
  if (invitationToken !== undefined && link?.invitation.email !== email) throw invitationRequired()
  if (link === undefined && config.access.signUpProof === 'mailbox') {
    const user = await requestConfirmation(tx, deps, trail, { email, profile, binding })
    return { kind: 'to_be_confirmed', user }
  }
  const account = await admit(tx, publish, trail, {
    because: 'sign_up_completed',
    email,
    profile,
    mailboxProven: link?.mailboxProven ?? false,
    deps,
    // The link has no row of its own; it ends with the invitation that is accepted here.
    opened:
      link === undefined || config.access.signUpProof === 'none'
        ? undefined
        : await findOpened(tx, link, trail.now),
    how: link === undefined ? 'address' : 'invitation',
  })
  return completeSignIn(tx, deps, trail, account, { how: 'sign_up', replaces })
}
