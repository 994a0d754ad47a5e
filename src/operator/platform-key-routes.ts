import { MOST_FORMER, OVERLAP_HOURS, OVERLAP_MOST_HOURS } from '../access/keys/former-secrets.ts'
import { AddressesSchema, readAddresses } from '../access/keys/key-addresses.ts'
import { ScopesSchema } from '../access/keys/key-scopes.ts'
import { endPlatformKey } from '../access/platform/end-platform-key.ts'
import {
  addPlatformKey,
  changePlatformKey,
  rotatePlatformKey,
  toPlatformKey,
} from '../access/platform/platform-key-store.ts'
import { trailOf } from '../audit/audit.ts'
import { HOUR, toIso } from '../core/clock.ts'
import { parseId } from '../core/id.ts'
import { afterCommit } from '../db/database.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { OperatorDeps } from './deps.ts'

const tags = ['Operator']
const ById = strict({ id: IdSchema('platformKey') })
const Fields = {
  id: Type.String(),
  name: Type.String(),
  scopes: Nullable(Type.Array(Type.String())),
  mayCreateOrganizations: Type.Boolean(),
  allowedAddresses: Nullable(Type.Array(Type.String())),
  hint: Type.String({ description: 'The last four characters of the key.' }),
  createdAt: Moment,
  expiresAt: Nullable(Moment),
  rotatedAt: Nullable(Moment),
  lastUsedAt: Nullable(Moment),
}

/** Routes that make, list, change, rotate and revoke platform keys. */
export function platformKeyRoutes(
  server: Server,
  {
    config,
    database,
    once,
    forgetCallers,
  }: Pick<OperatorDeps, 'config' | 'database' | 'once' | 'forgetCallers'>,
): void {
  server.post(
    '/v1/operator/platform-keys',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'createPlatformKey',
        summary: 'Create a key of the installation',
        description:
          'Only this answer has the `key`. Use it as `Authorization: Bearer ppk_…`, with the organization in `Postern-Organization`.',
        body: strict({
          name: NameSchema,
          scopes: Nullable(ScopesSchema),
          mayCreateOrganizations: Type.Optional(Type.Boolean({ default: false })),
          allowedAddresses: Type.Optional(Nullable(AddressesSchema)),
          expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
        }),
        response: { 201: Type.Object({ ...Fields, key: Type.String() }) },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { name, scopes, mayCreateOrganizations = false, expiresInDays } = request.body
        const { row, key } = await addPlatformKey(tx, trailOf(request), {
          ...{ name: name.trim(), scopes, mayCreateOrganizations, expiresInDays },
          allowedAddresses: readAddresses(request.body.allowedAddresses ?? null),
        })
        const headers = { location: `${config.web.baseUrl}/v1/operator/platform-keys/${row.id}` }
        return { status: 201, body: { ...toPlatformKey(row), key }, headers }
      }),
  )

  server.get(
    '/v1/operator/platform-keys',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listPlatformKeys',
        summary: 'List the keys of the installation',
        querystring: strict(PageQuery),
        response: { 200: Page(Type.Object(Fields)) },
      },
    },
    async ({ query }) => {
      const page = readPage('platformKey', query)
      const rows = await database.db.selectFrom('platform_key').selectAll().$call(inPage(page)).execute()
      return toPage(rows, page, toPlatformKey)
    },
  )

  server.patch(
    '/v1/operator/platform-keys/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'updatePlatformKey',
        summary: 'Change a key of the installation',
        description:
          'Changes the name, addresses and expiry; its rights never change. Its pending invitations end with it at the latest.',
        params: ById,
        body: strict(
          {
            name: Type.Optional(NameSchema),
            allowedAddresses: Type.Optional(Nullable(AddressesSchema)),
            expiresInDays: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
          },
          { minProperties: 1 },
        ),
        response: { 200: Type.Object(Fields) },
      },
    },
    async (request) => {
      const id = parseId('platformKey', request.params.id)
      const { name, allowedAddresses, expiresInDays } = request.body
      const change = {
        ...{ name: name?.trim(), expiresInDays },
        allowedAddresses: allowedAddresses === undefined ? undefined : readAddresses(allowedAddresses),
      }
      return database.tx(async (tx) => {
        const row = await changePlatformKey(tx, trailOf(request), id, change)
        afterCommit(tx, forgetCallers)
        return toPlatformKey(row)
      })
    },
  )

  server.post(
    '/v1/operator/platform-keys/:id/rotate',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'rotatePlatformKey',
        summary: 'Give a key of the installation another secret',
        description: `Only this answer has the new \`key\`. The previous key is accepted for \`overlapHours\` more, and each earlier one until its own end, ${MOST_FORMER} at most (\`too_many_secrets\`); with 0 every earlier one ends at once.`,
        params: ById,
        body: Nullable(
          strict({
            overlapHours: Type.Optional(
              Type.Integer({ minimum: 0, maximum: OVERLAP_MOST_HOURS, default: OVERLAP_HOURS }),
            ),
          }),
        ),
        response: { 200: Type.Object({ ...Fields, key: Type.String(), previousExpiresAt: Moment }) },
      },
    },
    async (request, reply) => {
      const id = parseId('platformKey', request.params.id)
      const overlap = (request.body?.overlapHours ?? OVERLAP_HOURS) * HOUR
      return once(request, reply, async (tx) => {
        const { row, key, previousExpiresAt } = await rotatePlatformKey(tx, trailOf(request), id, overlap)
        afterCommit(tx, forgetCallers)
        return {
          status: 200,
          body: { ...toPlatformKey(row), key, previousExpiresAt: toIso(previousExpiresAt) },
        }
      })
    },
  )

  server.delete(
    '/v1/operator/platform-keys/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'deletePlatformKey',
        summary: 'Revoke a key of the installation',
        description:
          'The key ends at once, also for open streams, and its pending invitations are revoked. API keys that were made with it stay, unless `withMade` is true.',
        params: ById,
        querystring: strict({ withMade: Type.Optional(Type.Boolean({ default: false })) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = parseId('platformKey', request.params.id)
      const { withMade = false } = request.query
      await database.tx(async (tx) => {
        await endPlatformKey(tx, trailOf(request), id, { withMade })
        afterCommit(tx, forgetCallers)
      })
      return reply.code(204).send(null)
    },
  )
}
