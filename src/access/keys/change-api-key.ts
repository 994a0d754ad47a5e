import { audit, trailOf } from '../../audit/audit.ts'
import { DAY, toIsoOrNull } from '../../core/clock.ts'
import { afterCommit, noteChanges } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endWithKey } from '../accounts/end-with-key.ts'
import type { AccessDeps } from '../deps.ts'
import { ApiKeySchema, toApiKey } from './api-key-wire.ts'
import { mustCover } from './giver-rights.ts'
import { AddressesSchema, readAddresses } from './key-addresses.ts'

/** `PATCH /v1/api-keys/{id}`: changes everything except role and scopes. */
export function changeApiKeyRoutes(
  server: Server,
  { database, credentials }: Pick<AccessDeps, 'database' | 'credentials'>,
): void {
  server.patch(
    '/v1/api-keys/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['API keys'],
        operationId: 'updateApiKey',
        summary: 'Change an API key',
        description:
          'Changes the name, description, addresses and expiry; its rights never change. If the caller is a key, it can change only keys that have no more rights, no other addresses and no later expiry than itself.',
        params: strict({ id: IdSchema('apiKey') }),
        body: strict(
          {
            name: Type.Optional(NameSchema),
            description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
            allowedAddresses: Type.Optional(Nullable(AddressesSchema)),
            expiresInDays: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
          },
          { minProperties: 1 },
        ),
        response: { 200: ApiKeySchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { name, description, allowedAddresses, expiresInDays } = body
      const addresses = allowedAddresses === undefined ? undefined : readAddresses(allowedAddresses)
      const until = expiresInDays === undefined || expiresInDays === null ? null : now + expiresInDays * DAY
      return database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        const right = await mustStillHave(tx, caller, 'keys:write', now)
        const before = await getOwned(tx, 'api_key', request.params.id, organizationId, lock)
        const change = {
          name: name ?? before.name,
          description: description === undefined ? before.description : description,
          allowed_addresses: addresses === undefined ? before.allowed_addresses : addresses,
          expires_at: expiresInDays === undefined ? before.expires_at : until,
        }
        mustCover(right, before)
        mustCover(right, { ...before, ...change })
        const after = await tx
          .updateTable('api_key')
          .set(change)
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await endWithKey(tx, organizationId, { keyId: after.id, until: after.expires_at })
        noteChanges(tx, 'apiKey', [after])
        await audit(tx, trailOf(request), {
          action: 'api_key.updated',
          organizationId,
          actorId,
          targetId: after.id,
          details: {
            changed: Object.keys(body).join(' '),
            name: after.name,
            allowedAddresses: after.allowed_addresses,
            expiresAt: toIsoOrNull(after.expires_at),
          },
        })
        afterCommit(tx, credentials.clear)
        return toApiKey(tx, after, now)
      })
    },
  )
}
