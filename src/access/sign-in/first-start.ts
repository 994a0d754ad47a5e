import { type Trail, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lockTable } from '../../db/locking.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import {
  EmailSchema,
  NameSchema,
  PasswordSchema,
  SecretSchema,
  strict,
} from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { createOrganization } from '../../organizations/organizations.ts'
import { type Account, admit, type Profile } from '../accounts/accounts.ts'
import type { AccessDeps } from '../deps.ts'
import { invite } from '../members/invite.ts'
import { completeSignIn, SignedInSchema, setSignInCookie } from '../sessions/sessions.ts'
import { rememberDevice } from './device.ts'

type FirstStartDeps = Pick<
  AccessDeps,
  | 'config'
  | 'database'
  | 'vault'
  | 'publish'
  | 'outbox'
  | 'passwords'
  | 'credentials'
  | 'endMade'
  | 'firstStartLink'
>

/**
 * `POST /v1/auth/first-start`: makes the first organization and its administrator, by the link that a start at a terminal shows while there
 * is no account (decisions: access). The link is valid once, for an hour, and until an account exists.
 */
export function firstStartRoutes(server: Server, deps: FirstStartDeps): void {
  const { config, database, vault, passwords, firstStartLink } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/first-start',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Sign-up'],
        operationId: 'createFirstAdministrator',
        summary: 'Create the first organization and its administrator',
        description:
          'With the token of the link that a start at a terminal shows while no account exists. Signs the administrator in. The answer is the same for an unknown, used or expired token, and for any token once an account exists. Refused input does not use up the token.',
        body: strict({
          token: SecretSchema,
          organization: NameSchema,
          firstName: NameSchema,
          lastName: NameSchema,
          email: EmailSchema,
          password: PasswordSchema,
          termsAccepted: Type.Boolean({ description: 'Must be true.', ...documented({ const: true }) }),
        }),
        response: { 201: SignedInSchema },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const email = normalizeEmail(body.email) as string
      const organization = body.organization.trim()
      // The token is checked first, so that no password is hashed for a stranger.
      if (!(await firstStartLink.isLive(database.db, body.token, now)) || (await hasAccount(database.db)))
        throw deadLink()
      if (!body.termsAccepted)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'termsAccepted',
          value: false,
          reason: 'must_be_true',
        })
      await passwords.refuseCommon(body.password, email, 'password', [organization])
      const profile: Profile = {
        firstName: body.firstName.trim(),
        lastName: body.lastName.trim(),
        passwordHash: await passwords.hash(body.password),
        termsAcceptedAt: now,
      }
      const trail = trailOf(request)
      const entered = await database.tx(async (tx) => {
        await takeLink(tx, deps, body.token, now)
        const account = await makeAdministrator(tx, deps, trail, { organization, email, profile })
        const arrival = { how: 'first_start', replaces: request.cookies[cookies.session] }
        return completeSignIn(tx, deps, trail, account, arrival)
      })
      const { answer } = setSignInCookie(reply, cookies, entered)
      rememberDevice(reply, vault, cookies, email)
      return reply.code(201).send(answer)
    },
  )
}

/** @returns whether any account exists, invited ones included */
export async function hasAccount(db: Db | Tx): Promise<boolean> {
  return (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined
}

function deadLink(): ApiError<'ENTITY_NOT_FOUND'> {
  return new ApiError('ENTITY_NOT_FOUND', { field: 'token' })
}

/**
 * Consumes the link. The table of accounts is locked, so that a concurrent invitation comes either before this, and ends the link, or after
 * it.
 * @throws ApiError ENTITY_NOT_FOUND where the link has ended, or an account exists
 */
async function takeLink(
  tx: Tx,
  { firstStartLink }: Pick<FirstStartDeps, 'firstStartLink'>,
  token: string,
  now: Millis,
): Promise<void> {
  if (!(await firstStartLink.take(tx, token, now))) throw deadLink()
  await lockTable(tx, 'account')
  if (await hasAccount(tx)) throw deadLink()
}

interface First {
  /** The name of the organization. */
  organization: string
  /** Normalised. */
  email: string
  profile: Profile
}

/**
 * Takes the same steps as `postern invite` and the sign-up by its link. The reader of the terminal is the operator, which
 * counts as proof of the mailbox, as for the link of that command.
 * @throws ApiError DUPLICATE where an organization has that name
 */
async function makeAdministrator(
  tx: Tx,
  deps: FirstStartDeps,
  trail: Trail,
  { organization, email, profile }: First,
): Promise<Account> {
  const { config, outbox, publish } = deps
  const plan = config.plans.default
  const organizationId = await createOrganization(tx, trail, { name: organization, plan })
  if (organizationId === undefined)
    throw new ApiError('DUPLICATE', { field: 'organization', value: organization, reason: 'name_taken' })
  const { invitation } = await invite(tx, { appUrl: config.web.appUrl, outbox, publish }, trail, {
    organizationId,
    email,
    role: 'administrator',
    inviterId: null,
    lifetime: LIFETIME.firstStartLink,
    language: null,
    sendEmail: false,
  })
  return admit(tx, publish, trail, {
    because: 'sign_up_completed',
    email,
    profile,
    mailboxProven: true,
    opened: [invitation],
    deps,
    how: 'first_start',
  })
}
