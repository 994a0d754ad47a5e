import { trailOf } from '../../audit/audit.ts'
import { DAY, type Millis } from '../../core/clock.ts'
import { ApiError, CATALOGUE, type ErrorCode } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { readLanguage } from '../../core/language.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Tx } from '../../db/database.ts'
import { ROLES } from '../../db/tables/tables.ts'
import type { RoleName } from '../../http/permissions.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { EmailSchema, LanguageSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import {
  type GivenRole,
  holdRole,
  mustBeAbleToGive,
  RoleNameSchema,
  readRoleName,
} from '../accounts/given-role.ts'
import { lockAddresses } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { countInvitation, countInvitations } from './invitation-rate.ts'
import { InvitationSchema, showInvitation } from './invitation-wire.ts'
import { type InviteDeps, invite } from './invite.ts'

type CreateDeps = Pick<AccessDeps, 'config' | 'outbox' | 'publish' | 'limiter' | 'once'>

const RoleSchema = Type.String({ ...RoleNameSchema, default: 'member' })

/** Lifetime of an invitation, unless its maker's key ends before. */
const [USUAL_DAYS, MOST_DAYS] = [7, 30]
const DaysSchema = Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_DAYS, default: USUAL_DAYS }))

const BulkRow = Type.Object({
  email: Type.String(),
  invitation: Type.Optional(InvitationSchema),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
})

/** `POST /v1/invitations` and `POST /v1/invitations/bulk`. */
export function createInvitationRoutes(server: Server, deps: CreateDeps): void {
  const { config, limiter, once } = deps
  const { book } = config.plans
  const inviteDeps: InviteDeps = { appUrl: config.web.appUrl, outbox: deps.outbox, publish: deps.publish }

  server.post(
    '/v1/invitations',
    {
      config: { access: 'invitations:write', once: true },
      schema: {
        tags: ['Invitations'],
        operationId: 'createInvitation',
        summary: 'Invite a person',
        description:
          'Creates an invitation and an inactive account, and sends the invitation by e-mail, best-effort.',
        body: strict({
          email: EmailSchema,
          role: Type.Optional(RoleSchema),
          expiresInDays: DaysSchema,
          language: Type.Optional(LanguageSchema),
          sendEmail: Type.Optional(
            Type.Boolean({
              default: true,
              description: '`false` returns the `acceptUrl`, only this once, and sends no mail.',
            }),
          ),
        }),
        response: { 201: InvitationSchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const caller = callerOf(request)
      const email = normalizeEmail(body.email) as string
      const sendEmail = body.sendEmail ?? true
      const mayMail = async () => {
        await countInvitation({ limiter, book }, caller, now)
        if (sendEmail) await limitMail(limiter, email, now)
      }
      const work = async (tx: Tx) => {
        // Before the membership of the caller, which rests on an account.
        await lockAddresses(tx, [email])
        const giver = await mustStillHave(tx, caller, 'invitations:write', now)
        const role = await holdRole(tx, caller.organizationId, readRoleName(body.role ?? 'member'))
        mustBeAbleToGive(giver, role)
        const invited = await invite(tx, inviteDeps, trailOf(request), {
          organizationId: caller.organizationId,
          email,
          role: role.name,
          inviterId: caller.actorId,
          lifetime: lifetimeOf(body.expiresInDays, giver.until, now),
          language: readLanguage(body.language) ?? null,
          sendEmail,
        })
        const wire = await showInvitation(tx, invited.invitation, now)
        return {
          status: 201,
          body: sendEmail ? wire : { ...wire, acceptUrl: invited.acceptUrl },
          headers: { location: `${config.web.baseUrl}/v1/invitations/${invited.invitation.id}` },
        }
      }
      return once(request, reply, work, mayMail)
    },
  )

  server.post(
    '/v1/invitations/bulk',
    {
      config: { access: 'invitations:write', once: true },
      bodyLimit: 1024 * 1024,
      schema: {
        tags: ['Invitations'],
        operationId: 'createInvitations',
        summary: 'Invite up to 1,000 people',
        description:
          'Each row succeeds or fails independently; the answer has one result per row, in the same order.',
        body: strict({
          invitations: Type.Array(
            strict({
              email: Type.String({ maxLength: 320 }),
              role: Type.Optional(Type.String({ maxLength: 64 })),
            }),
            {
              minItems: 1,
              maxItems: 1_000,
            },
          ),
          expiresInDays: DaysSchema,
          language: Type.Optional(LanguageSchema),
        }),
        response: { 200: Type.Object({ results: Type.Array(BulkRow) }) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const checkRows = async () => {
        const rows = request.body.invitations.map(readRow)
        const { length } = rows.filter((row) => 'email' in row)
        const { granted, refusal } = await countInvitations({ limiter, book }, caller, length, request.now)
        let rest = granted
        return Promise.all(
          rows.map((row) => {
            if ('error' in row) return row
            rest -= 1
            return rest < 0 ? { written: row.written, error: refusal } : checkMails(limiter, row, request.now)
          }),
        )
      }
      const work = async (tx: Tx, rows: CheckedRow[]) => {
        await lockAddresses(
          tx,
          rows.flatMap((row) => ('email' in row ? row.email : [])),
        )
        const giver = await mustStillHave(tx, caller, 'invitations:write', request.now)
        const results = new Map<CheckedRow, Static<typeof BulkRow>>()
        const roleOnce = rememberRoles((name) => holdRole(tx, caller.organizationId, name))
        for (const row of inLockOrder(rows)) {
          results.set(
            row,
            await inRow(row, async ({ email, role }) => {
              const given = await roleOnce(role)
              mustBeAbleToGive(giver, given)
              const invited = await invite(tx, inviteDeps, trailOf(request), {
                organizationId: caller.organizationId,
                email,
                role: given.name,
                inviterId: caller.actorId,
                lifetime: lifetimeOf(request.body.expiresInDays, giver.until, request.now),
                language: readLanguage(request.body.language) ?? null,
                sendEmail: true,
              })
              return showInvitation(tx, invited.invitation, request.now)
            }),
          )
        }
        return { status: 200, body: { results: rows.flatMap((row) => results.get(row) ?? []) } }
      }
      return once(request, reply, work, checkRows)
    },
  )
}

/** The lifetime of an invitation, which ends at the latest with the key that makes it. */
function lifetimeOf(days: number | undefined, until: Millis | null, now: Millis): Millis {
  return Math.min((days ?? USUAL_DAYS) * DAY, until === null ? Number.POSITIVE_INFINITY : until - now)
}

/** Each row may make an account: two requests with the same addresses make them in one order. */
function inLockOrder(rows: CheckedRow[]): CheckedRow[] {
  const name = (row: CheckedRow) => ('email' in row ? row.email : '')
  return rows.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0))
}

/** Reads each role of a bulk once. */
function rememberRoles(read: (name: RoleName) => Promise<GivenRole>) {
  const known = new Map<RoleName, Promise<GivenRole>>()
  return (name: RoleName) => {
    const role = known.get(name) ?? read(name)
    known.set(name, role)
    return role
  }
}

/** @throws ApiError RATE_LIMITED when the address has had enough mails, from all senders together */
export async function limitMail(limiter: AccessDeps['limiter'], email: string, now: Millis): Promise<void> {
  await limiter.take(email, ['mailPerAddress', 'mailPerAddressDaily'], now)
}

type CheckedRow = { written: string; email: string; role: RoleName } | { written: string; error: ApiError }

function readRow(row: { email: string; role?: string }): CheckedRow {
  const email = normalizeEmail(row.email)
  const role = roleNameIn(row.role ?? 'member')
  if (email === undefined)
    return { written: row.email, error: new ApiError('INVALID_EMAIL', { field: 'email', value: row.email }) }
  if (role === undefined)
    return {
      written: row.email,
      error: new ApiError('VALIDATION_FAILED', { field: 'role', value: row.role }),
    }
  return { written: row.email, email, role }
}

function roleNameIn(text: string): RoleName | undefined {
  return ROLES.find((known) => known === text) ?? readId('role', text)
}

/** The row, or the reason why its address gets no mail now. */
async function checkMails(
  limiter: AccessDeps['limiter'],
  row: Extract<CheckedRow, { email: string }>,
  now: Millis,
): Promise<CheckedRow> {
  try {
    await limitMail(limiter, row.email, now)
    return row
  } catch (error) {
    if (error instanceof ApiError) return { written: row.written, error }
    throw error
  }
}

/** One row's result; only errors of the catalogue are a row's own, any other ends the whole request. */
async function inRow(
  row: CheckedRow,
  work: (row: { email: string; role: RoleName }) => Promise<Static<typeof InvitationSchema>>,
): Promise<Static<typeof BulkRow>> {
  try {
    if ('error' in row) throw row.error
    return { email: row.written, invitation: await work(row) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const code: ErrorCode = error.code
    return {
      email: row.written,
      error: { code, message: CATALOGUE[code].message, details: error.details as Record<string, unknown> },
    }
  }
}
