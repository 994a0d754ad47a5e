import { audit, trailOf } from '../../audit/audit.ts'
import { parseId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endKeys } from '../accounts/end-keys.ts'
import type { AccessDeps } from '../deps.ts'
import {
  addServiceAccount,
  findOwner,
  ServiceAccountSchema,
  toServiceAccount,
} from './service-account-store.ts'

type ServiceAccountDeps = Pick<AccessDeps, 'config' | 'database' | 'once' | 'credentials'>

const ById = strict({ id: IdSchema('serviceAccount') })
const Fields = {
  name: NameSchema,
  description: Nullable(Type.String({ maxLength: 500 })),
  ownerId: Nullable(IdSchema('account')),
}

/** Routes of service accounts, the owners of API keys and actors for machines. */
export function serviceAccountRoutes(
  server: Server,
  { config, database, once, credentials }: ServiceAccountDeps,
): void {
  server.post(
    '/v1/service-accounts',
    {
      config: { access: 'keys:write', once: true },
      schema: {
        tags: ['Service accounts'],
        operationId: 'createServiceAccount',
        summary: 'Create a service account',
        description:
          'The identity of a machine: it owns everything that its API keys make, with any of them. It stays when its maker leaves. `ownerId` is the responsible member. Default: the person who makes it, or the responsible member of the service account that makes it.',
        body: strict({
          name: Fields.name,
          description: Type.Optional(Fields.description),
          ownerId: Type.Optional(Fields.ownerId),
        }),
        response: { 201: ServiceAccountSchema },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const caller = callerOf(request)
        await lockOrganization(tx, caller.organizationId)
        await mustStillHave(tx, caller, 'keys:write', request.now)
        const row = await addServiceAccount(tx, trailOf(request), caller, request.body)
        const headers = { location: `${config.web.baseUrl}/v1/service-accounts/${row.id}` }
        return { status: 201, body: toServiceAccount(row), headers }
      }),
  )

  server.get(
    '/v1/service-accounts',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['Service accounts'],
        operationId: 'listServiceAccounts',
        summary: 'List service accounts',
        querystring: strict(PageQuery),
        response: { 200: Page(ServiceAccountSchema) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      return listOwned(database.db, 'service_account', organizationId, request.query, toServiceAccount)
    },
  )

  server.get(
    '/v1/service-accounts/:id',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['Service accounts'],
        operationId: 'readServiceAccount',
        summary: 'Read a service account',
        params: ById,
        response: { 200: ServiceAccountSchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      return toServiceAccount(
        await getOwned(database.db, 'service_account', request.params.id, organizationId),
      )
    },
  )

  server.patch(
    '/v1/service-accounts/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['Service accounts'],
        operationId: 'updateServiceAccount',
        summary: 'Change a service account',
        params: ById,
        body: strict(
          {
            name: Type.Optional(Fields.name),
            description: Type.Optional(Fields.description),
            ownerId: Type.Optional(Fields.ownerId),
          },
          { minProperties: 1 },
        ),
        response: { 200: ServiceAccountSchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = parseId('serviceAccount', request.params.id)
      return database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'keys:write', now)
        const owner =
          body.ownerId === undefined ? {} : { owner_id: await findOwner(tx, organizationId, body.ownerId) }
        const { name, description } = body
        const after = await tx
          .updateTable('service_account')
          .set({
            ...(name === undefined ? {} : { name }),
            ...(description === undefined ? {} : { description }),
            ...owner,
            updated_at: now,
          })
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .returningAll()
          .executeTakeFirst()
        if (after === undefined) throw notFound('id', id)
        await audit(tx, trailOf(request), {
          action: 'service_account.updated',
          organizationId,
          actorId,
          targetId: id,
          details: { changed: Object.keys(body).join(' '), name: after.name, ownerId: after.owner_id },
        })
        return toServiceAccount(after)
      })
    },
  )

  server.delete(
    '/v1/service-accounts/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['Service accounts'],
        operationId: 'deleteServiceAccount',
        summary: 'Delete a service account',
        description:
          'All its API keys end at once, also for open streams, and their pending invitations are revoked. Its resources stay under its id.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = parseId('serviceAccount', request.params.id)
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'keys:write', request.now)
        // The keys end first, in the lock order of `noteUse`.
        await endKeys(tx, trailOf(request), { organizationId, actorId }, { serviceAccountId: id })
        const deleted = await tx
          .deleteFrom('service_account')
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .returning('name')
          .executeTakeFirst()
        if (deleted === undefined) throw notFound('id', id)
        await audit(tx, trailOf(request), {
          action: 'service_account.deleted',
          organizationId,
          actorId,
          targetId: id,
          details: { name: deleted.name },
        })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}
