import { type Id, readId } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { callerOf } from '../../http/principal.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { fullName } from '../accounts/full-name.ts'
import type { AccessDeps } from '../deps.ts'

/** Ids in one request, each of them four letters and a UUID, with commas between. */
const MOST = 100
const ACTOR = '(acc|svc|key|pky|idp|sul)_[0-9A-Fa-f-]{36}'
const LONGEST = 41 * MOST - 1

const KINDS = [
  'member',
  'former_member',
  'service_account',
  'api_key',
  'platform_key',
  'identity_provider',
  'setup_link',
] as const

const ActorSchema = Type.Object({
  id: Type.String(),
  kind: Type.String({ enum: [...KINDS] }),
  name: Nullable(Type.String()),
})

type Actor = Static<typeof ActorSchema>

/** `GET /v1/actors`: names for the ids of accounts, service accounts and API keys in an organization's records. */
export function actorRoutes(server: Server, { database }: Pick<AccessDeps, 'database'>): void {
  server.get(
    '/v1/actors',
    {
      config: { access: 'members:read' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listActors',
        summary: 'Read the names of actors',
        description:
          'Names for the ids in `createdBy`, `actorId`, `decidedBy` and `inviterId`: of members, of former members (their names when they left), of service accounts, of API keys (`keyId`), of platform keys, of identity providers, and of setup links. The answer omits ids that the organization does not know, and ids of deleted accounts and keys.',
        querystring: strict({
          ids: Type.String({
            pattern: `^${ACTOR}(,${ACTOR}){0,${MOST - 1}}$`,
            maxLength: LONGEST,
            description: `Ids of accounts, service accounts, API keys, platform keys, identity providers and setup links, separated by commas, ${MOST} at most.`,
            examples: ['acc_0198c1f2-7a3b-7c4d-8e5f-0123456789ab'],
          }),
        }),
        response: { 200: Type.Object({ data: Type.Array(ActorSchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const { organizationId, permissions } = callerOf(request)
      const asked = request.query.ids.split(',')
      const accounts = asked.flatMap((text) => readId('account', text) ?? [])
      const services = asked.flatMap((text) => readId('serviceAccount', text) ?? [])
      const keys = asked.flatMap((text) => readId('apiKey', text) ?? [])
      const platformKeys = asked.flatMap((text) => readId('platformKey', text) ?? [])
      const providers = asked.flatMap((text) => readId('identityProvider', text) ?? [])
      const links = asked.flatMap((text) => readId('setupLink', text) ?? [])
      const isNamed = permissions.has('keys:read')
      const data = [
        ...(await findPeople(database.db, organizationId, accounts)),
        ...(await findMachines(database.db, 'service_account', organizationId, services, isNamed)),
        ...(await findMachines(database.db, 'api_key', organizationId, keys, isNamed)),
        ...(await findPlatformKeys(database.db, platformKeys, isNamed)),
        ...(await findNamed(database.db, 'identity_provider', organizationId, providers)),
        ...(await findNamed(database.db, 'setup_link', organizationId, links)),
      ]
      return { data, nextCursor: null }
    },
  )
}

/** Members by their present names, and former members by their names when they left. */
async function findPeople(
  db: Db,
  organizationId: Id<'organization'>,
  ids: Id<'account'>[],
): Promise<Actor[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('account')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.account_id', '=', 'account.id')
        .on('membership.organization_id', '=', organizationId),
    )
    .leftJoin('former_member', (join) =>
      join
        .onRef('former_member.account_id', '=', 'account.id')
        .on('former_member.organization_id', '=', organizationId),
    )
    .select(['account.id', 'email', 'first_name', 'last_name', 'membership.role', 'former_member.name'])
    .where('account.id', 'in', ids)
    .execute()
  return rows.flatMap(({ role, name: former, ...account }): Actor[] => {
    if (role !== null) return [{ id: account.id, kind: 'member', name: fullName(account) }]
    return former === null ? [] : [{ id: account.id, kind: 'former_member', name: former }]
  })
}

/** @param isNamed whether the caller may read the names of service accounts and keys, as in their lists */
async function findMachines(
  db: Db,
  kind: 'service_account' | 'api_key',
  organizationId: Id<'organization'>,
  ids: Id<'serviceAccount' | 'apiKey'>[],
  isNamed: boolean,
): Promise<Actor[]> {
  if (ids.length === 0) return []
  // The types of a query over either table would know nothing of their columns; these have three in common.
  const rows = await db
    .selectFrom(kind as 'api_key')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids as Id<'apiKey'>[])
    .execute()
  return rows.map(({ id, name }) => ({ id, kind, name: isNamed ? name : null }))
}

/** Platform keys act for every organization, so any id is answered; ids cannot be guessed. */
async function findPlatformKeys(db: Db, ids: Id<'platformKey'>[], isNamed: boolean): Promise<Actor[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('platform_key').select(['id', 'name']).where('id', 'in', ids).execute()
  return rows.map(({ id, name }) => ({ id, kind: 'platform_key', name: isNamed ? name : null }))
}

/** Identity providers of the organization, whose names its mails contain, and its setup links. */
async function findNamed(
  db: Db,
  kind: 'identity_provider' | 'setup_link',
  organizationId: Id<'organization'>,
  ids: Id<'identityProvider' | 'setupLink'>[],
): Promise<Actor[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom(kind as 'identity_provider')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids as Id<'identityProvider'>[])
    .execute()
  return rows.map(({ id, name }) => ({ id, kind, name }))
}
