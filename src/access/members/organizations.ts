import { trailOf } from '../../audit/audit.ts'
import { DAY, fromIso, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import { readLanguage } from '../../core/language.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { type Parameter, prepared } from '../../db/engine/prepared.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { isOwnRole } from '../../http/permissions.ts'
import { callerOf, type Principal } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import {
  IdSchema,
  LanguageSchema,
  Moment,
  NameSchema,
  Nullable,
  strict,
} from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import {
  lockOrganization,
  renameOrganization,
  setLanguage,
  setSecondFactor,
} from '../../organizations/organizations.ts'
import { requireSignIn } from '../accounts/require-sign-in.ts'
import { roleNameOf, roleOf } from '../accounts/role-columns.ts'
import type { AccessDeps } from '../deps.ts'
import { findRoleNames } from '../roles/role-store.ts'
import { ownOrganization } from './members.ts'

/** The longest time that an organization gives its members to add a second factor. */
const LONGEST_GRACE = 90 * DAY

const OrganizationSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  externalId: Nullable(Type.String()),
  plan: Type.String(),
  role: Type.String({ description: 'The role of the caller.' }),
  roleName: Type.String({ description: 'The name of that role.' }),
  secondFactorRequiredFrom: Nullable(Moment),
  secondFactorGraceMs: Type.Integer(),
  signIn: Type.Object({ required: Type.Boolean(), exceptions: Type.Array(Type.String()) }),
  language: Nullable(Type.String()),
  createdAt: Moment,
})

interface ListValues {
  accountId: Id<'account'>
  before: Id<'organization'>
  take: number
}

const NOBODY = '' as Id<'account'>

function selectOrganizations(db: Db, value: Parameter<ListValues>) {
  return db
    .selectFrom('organization')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'organization.id')
        .on('membership.account_id', '=', value('accountId')),
    )
    .leftJoin('role', 'role.id', 'membership.role_id')
    .select([
      'organization.id',
      'organization.name',
      'organization.external_id',
      'organization.plan',
      'organization.second_factor_from',
      'organization.second_factor_grace',
      'organization.sign_in_required_at',
      'organization.language',
      'organization.created_at',
      'membership.role',
      'membership.role_id',
      'role.name as role_name',
    ])
    .where('organization.id', '<', value('before'))
    .orderBy('organization.id', 'desc')
    .limit(value('take'))
}

/** The organizations of a person, by membership; in a session of an organization's identity provider only that organization. */
const selectOwn = prepared<ListValues & { organizationId: Id<'organization'>; sessionId: Id<'session'> }>()(
  (db, value) =>
    selectOrganizations(db, value)
      .where('membership.role', 'is not', null)
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('organization.id', '=', value('organizationId')),
          exists(
            selectFrom('session')
              .select('session.id')
              .where('session.id', '=', value('sessionId'))
              .where('session.bound_organization_id', 'is', null),
          ),
        ]),
      ),
)
/** A key's organization. */
const selectOne = prepared<ListValues & { organizationId: Id<'organization'> }>()((db, value) =>
  selectOrganizations(db, value).where('organization.id', '=', value('organizationId')),
)

/** Organizations of the caller, and the name of the one that the token is for. */
export function organizationRoutes(
  server: Server,
  { database, limiter, credentials }: Pick<AccessDeps, 'database' | 'limiter' | 'credentials'>,
): void {
  server.get(
    '/v1/organizations',
    {
      config: { access: 'organization:read' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listOrganizations',
        summary: "List the caller's organizations",
        querystring: strict(PageQuery),
        response: { 200: Page(OrganizationSchema) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const page = readPage('organization', request.query)
      const accountId = caller.kind === 'account' ? caller.accountId : NOBODY
      const { organizationId } = caller
      const values = { accountId, before: page.before, take: page.take, organizationId }
      const rows =
        caller.kind === 'account'
          ? await selectOwn(database.db, { ...values, sessionId: caller.sessionId })
          : await selectOne(database.db, values)
      const exceptions = await exceptionsOf(database.db, rows)
      return toPage(rows, page, ({ role, ...row }) => ({
        id: row.id,
        name: row.name,
        externalId: row.external_id,
        plan: row.plan,
        role: role === null ? caller.role : roleOf({ ...row, role }),
        roleName: (role === null ? null : roleNameOf({ ...row, role })) ?? caller.role,
        secondFactorRequiredFrom: toIsoOrNull(row.second_factor_from),
        secondFactorGraceMs: row.second_factor_grace ?? 0,
        signIn: { required: row.sign_in_required_at !== null, exceptions: exceptions.get(row.id) ?? [] },
        language: row.language,
        createdAt: toIso(row.created_at),
      }))
    },
  )

  server.patch(
    '/v1/organizations/:id',
    {
      config: { access: 'organization:write', also: { signIn: 'sign_in:write' } },
      schema: {
        tags: ['Organizations'],
        operationId: 'renameOrganization',
        summary: 'Change the name, the required sign-in or the language of the organization',
        description:
          'The name must be unique. From `secondFactorRequiredFrom` on, members without a second factor get no JWT for the organization (`FORBIDDEN`, `reason: second_factor_required`); their session lets them add one. `secondFactorGraceMs` gives each member time after that moment, or after joining, whichever is later; it does not postpone the requirement of the installation. The caller must have a second factor to require one: else `FORBIDDEN` with `reason: no_second_factor`. With `signIn.required` members sign in by an identity provider of the organization, and access by other sign-ins ends; `exceptions` are administrators who may use their own sign-in with a second factor, at least one.',
        params: strict({ id: IdSchema('organization') }),
        body: strict(
          {
            name: Type.Optional(NameSchema),
            secondFactorRequiredFrom: Type.Optional(Nullable(Moment)),
            secondFactorGraceMs: Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_GRACE })),
            signIn: Type.Optional(
              strict({
                required: Type.Boolean(),
                exceptions: Type.Optional(Type.Array(IdSchema('account'), { maxItems: 20 })),
              }),
            ),
            language: Type.Optional(Nullable(LanguageSchema)),
          },
          { minProperties: 1 },
        ),
        response: { 200: OrganizationSchema },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = ownOrganization(request, request.params.id)
      const { body } = request
      if (body.name !== undefined) await limiter.take(organizationId, 'renamePerOrganization', request.now)
      const renamed = database.tx(async (tx) => {
        const before = await lockOrganization(tx, id)
        if (before === undefined) throw notFound('id', id)
        const { role } = await mustStillHave(tx, caller, 'organization:write', request.now)
        const name = body.name?.trim() ?? before.name
        if (before.name !== name) await renameOrganization(tx, trailOf(request), before, name, actorId)
        const from = momentOf(body.secondFactorRequiredFrom, before.second_factor_from)
        const grace = body.secondFactorGraceMs ?? before.second_factor_grace ?? 0
        if (from !== before.second_factor_from || grace !== (before.second_factor_grace ?? 0)) {
          if (from !== null) await mustHaveFactor(tx, caller)
          await setSecondFactor(tx, trailOf(request), before, { from, grace }, actorId)
          afterCommit(tx, credentials.clear)
        }
        if (body.signIn !== undefined) {
          const exceptions = (body.signIn.exceptions ?? []).map((one) =>
            parseId('account', one, 'signIn.exceptions'),
          )
          const { required } = body.signIn
          await requireSignIn(tx, trailOf(request), { organizationId, actorId, required, exceptions })
          afterCommit(tx, credentials.clear)
        }
        const language = body.language === null ? null : (readLanguage(body.language) ?? before.language)
        if (language !== before.language) await setLanguage(tx, trailOf(request), before, language, actorId)
        const { plan, external_id: externalId, created_at } = before
        const factor = { secondFactorRequiredFrom: toIsoOrNull(from), secondFactorGraceMs: grace }
        const roleName = (isOwnRole(role) ? (await findRoleNames(tx, [role])).get(role) : role) ?? role
        const named = { id, name, externalId, plan, role, roleName }
        const required = body.signIn?.required ?? before.sign_in_required_at !== null
        const exceptions = (
          await exceptionsOf(tx, [{ ...before, sign_in_required_at: required ? 0 : null }])
        ).get(id)
        const signIn = { required, exceptions: exceptions ?? [] }
        return { ...named, ...factor, signIn, language, createdAt: toIso(created_at) }
      })
      return renamed.catch((error: unknown) => {
        if (!database.isUniqueViolation(error)) throw error
        throw new ApiError('DUPLICATE', { field: 'name', value: body.name?.trim() })
      })
    },
  )
}

/** The exceptions of organizations that require the sign-in of their identity provider. */
async function exceptionsOf(
  db: Db | Tx,
  organizations: Pick<Tables['organization'], 'id' | 'sign_in_required_at'>[],
): Promise<Map<Id<'organization'>, Id<'account'>[]>> {
  const requiring = organizations.filter((one) => one.sign_in_required_at !== null).map(({ id }) => id)
  if (requiring.length === 0) return new Map()
  const rows = await db
    .selectFrom('membership')
    .select(['organization_id', 'account_id'])
    .where('organization_id', 'in', requiring)
    .where('own_sign_in_at', 'is not', null)
    .orderBy('account_id')
    .execute()
  const by = Map.groupBy(rows, ({ organization_id }) => organization_id)
  return new Map([...by].map(([id, found]) => [id, found.map(({ account_id }) => account_id)]))
}

/** The requested time; the previous one where the request has none. */
function momentOf(asked: string | null | undefined, before: Millis | null): Millis | null {
  if (asked === undefined) return before
  return asked === null ? null : (fromIso(asked) ?? before)
}

/** @throws ApiError FORBIDDEN `no_second_factor`: an administrator would be shut out by the own demand */
async function mustHaveFactor(tx: Tx, caller: Principal): Promise<void> {
  if (caller.kind !== 'account') return
  const { second_factors } = await tx
    .selectFrom('account')
    .select('second_factors')
    .where('id', '=', caller.accountId)
    .executeTakeFirstOrThrow()
  if (second_factors === 0) throw new ApiError('FORBIDDEN', { reason: 'no_second_factor' })
}
