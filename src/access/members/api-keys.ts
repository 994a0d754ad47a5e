import { audit, trailOf } from '../../audit/audit.ts'
import { DAY, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { newId, parseId } from '../../core/id.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import { afterCommit } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { ROLES, type Role, type Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { mustStillHave } from '../../http/still-holds.ts'
import { endAdministration } from '../accounts/end-administration.ts'
import type { AccessDeps } from '../deps.ts'
import { mustHaveAll, readGrant, ScopesSchema } from './key-scopes.ts'

type ApiKeyDeps = Pick<AccessDeps, 'config' | 'database' | 'once' | 'credentials'>

const Shown = {
  id: Type.String(),
  name: Type.String(),
  role: Type.String(),
  scopes: Nullable(Type.Array(Type.String())),
  hint: Type.String({ description: 'The last four characters of the key.' }),
  createdBy: Nullable(Type.String()),
  createdAt: Moment,
  expiresAt: Nullable(Moment),
  lastUsedAt: Nullable(Moment),
}
const ApiKeySchema = Type.Object(Shown)

const scopesOf = ({ scopes }: Pick<Tables['api_key'], 'scopes'>): string[] | null =>
  scopes === null ? null : JSON.parse(scopes)

function toWire(row: Tables['api_key']): Static<typeof ApiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: scopesOf(row),
    hint: row.hint,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    expiresAt: toIsoOrNull(row.expires_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }
}

/** null: never. */
function earlier(one: Millis | null, other: Millis | null): Millis | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** Keys with which machines call the API; each is shown once and stored as a hash. */
export function apiKeyRoutes(server: Server, { config, database, once, credentials }: ApiKeyDeps): void {
  server.post(
    '/v1/api-keys',
    {
      config: { access: 'keys:write', once: true },
      schema: {
        tags: ['API keys'],
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'The answer holds the `key`; it is never shown again. Use it as `Authorization: Bearer psk_…`. It is deleted when its maker is no longer an administrator. A key made by a key ends with that one at the latest.',
        body: strict({
          name: NameSchema,
          role: Type.Optional(Type.Unsafe<Role>(Type.String({ enum: ROLES }))),
          scopes: Type.Optional(Nullable(ScopesSchema)),
          expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
        }),
        response: { 201: Type.Object({ ...Shown, key: Type.String() }) },
      },
    },
    async (request, reply) => {
      const grant = readGrant(request.body)
      return once(request, reply, async (tx) => {
        const { body, now } = request
        const { organizationId, actorId } = callerOf(request)
        const maker = await mustStillHave(tx, { organizationId, actorId }, 'keys:write', now)
        mustHaveAll(maker, grant)
        const key = `psk_${newToken()}`
        const asked = body.expiresInDays === undefined ? null : now + body.expiresInDays * DAY
        const row: Tables['api_key'] = {
          id: newId('apiKey', now),
          organization_id: organizationId,
          name: body.name,
          ...grant,
          key_hash: hashToken(key),
          hint: key.slice(-4),
          created_by: actorId,
          created_at: now,
          expires_at: earlier(asked, maker.until),
          last_used_at: null,
        }
        await tx.insertInto('api_key').values(row).execute()
        const scopes = scopesOf(row)
        await audit(tx, trailOf(request), {
          action: 'api_key.created',
          organizationId,
          actorId,
          targetId: row.id,
          details: {
            name: row.name,
            role: row.role,
            ...(scopes && { scopes: scopes.join(' ') }),
          },
        })
        return {
          status: 201,
          body: { ...toWire(row), key },
          headers: { location: `${config.web.baseUrl}/v1/api-keys/${row.id}` },
        }
      })
    },
  )

  server.get(
    '/v1/api-keys',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['API keys'],
        operationId: 'listApiKeys',
        summary: 'List API keys',
        querystring: strict(PageQuery),
        response: { 200: Page(ApiKeySchema) },
      },
    },
    async (request) =>
      listOwned(database.db, 'api_key', callerOf(request).organizationId, request.query, toWire),
  )

  server.delete(
    '/v1/api-keys/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['API keys'],
        operationId: 'deleteApiKey',
        summary: 'Delete an API key',
        description:
          'It stops working at once. Its pending invitations are revoked, and the keys that it made are deleted.',
        params: strict({ id: IdSchema('apiKey') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      const id = parseId('apiKey', request.params.id)
      await database.tx(async (tx) => {
        await mustStillHave(tx, { organizationId, actorId }, 'keys:write', request.now)
        const deleted = await tx
          .deleteFrom('api_key')
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .returning('id')
          .executeTakeFirst()
        if (deleted === undefined) throw notFound('id', id)
        await endAdministration(tx, trailOf(request), { organizationId, makerId: id, actorId })
        await audit(tx, trailOf(request), {
          action: 'api_key.deleted',
          organizationId,
          actorId,
          targetId: id,
        })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}
