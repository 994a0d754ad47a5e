import { audit, trailOf } from '../../audit/audit.ts'
import { DAY } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { noteChanges } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import { ROLES, type Role, type Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { ApiKeyFields, toApiKey } from './api-key-wire.ts'
import { mustCover, mustReachOwned } from './giver-rights.ts'
import { AddressesSchema, readAddresses } from './key-addresses.ts'
import { refuseMoreKeys } from './key-limit.ts'
import { readGrant, ScopesSchema } from './key-scopes.ts'
import { newSecret } from './new-secret.ts'
import { addServiceAccount } from './service-account-store.ts'

/** `POST /v1/api-keys`: the secret is shown once and stored as a hash. */
export function createApiKeyRoutes(
  server: Server,
  { config, once }: Pick<AccessDeps, 'config' | 'once'>,
): void {
  server.post(
    '/v1/api-keys',
    {
      config: { access: 'keys:write', once: true },
      schema: {
        tags: ['API keys'],
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'The answer has the `key`, which is never shown again. Use it as `Authorization: Bearer psk_…`. The key belongs to a service account: that of `serviceAccountId`, else a new one of the same name. It ends when it is deleted, when it expires, or with its service account; it stays when its maker leaves. If the caller is a key, the new key can have no more rights, no other addresses and no later expiry than the caller; by default it has the addresses and the expiry of the caller.',
        body: strict({
          name: NameSchema,
          description: Type.Optional(Type.String({ maxLength: 500 })),
          role: Type.Optional(Type.Unsafe<Role>(Type.String({ enum: ROLES }))),
          scopes: Type.Optional(Nullable(ScopesSchema)),
          expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
          serviceAccountId: Type.Optional(IdSchema('serviceAccount')),
          allowedAddresses: Type.Optional(Nullable(AddressesSchema)),
        }),
        response: { 201: Type.Object({ ...ApiKeyFields, key: Type.String() }) },
      },
    },
    async (request, reply) => {
      const grant = readGrant(request.body)
      const { allowedAddresses } = request.body
      const asked = allowedAddresses === undefined ? undefined : readAddresses(allowedAddresses)
      return once(request, reply, async (tx) => {
        const { body, now } = request
        const caller = callerOf(request)
        const { organizationId, actorId } = caller
        await refuseMoreKeys(tx, organizationId)
        const giver = await mustStillHave(tx, caller, 'keys:write', now)
        const given = {
          ...grant,
          allowed_addresses: asked === undefined ? giver.addresses : asked,
          expires_at: body.expiresInDays === undefined ? giver.until : now + body.expiresInDays * DAY,
        }
        mustCover(giver, given)
        const { id: serviceAccountId } =
          body.serviceAccountId === undefined
            ? await addServiceAccount(tx, trailOf(request), caller, { name: body.name })
            : await getOwned(
                ...([tx, 'service_account', body.serviceAccountId, organizationId] as const),
                ...([undefined, 'serviceAccountId'] as const),
              )
        if (body.serviceAccountId !== undefined && serviceAccountId !== actorId) mustReachOwned(giver, given)
        const { key, columns } = newSecret('psk')
        const row: Tables['api_key'] = {
          id: newId('apiKey', now),
          organization_id: organizationId,
          service_account_id: serviceAccountId,
          name: body.name,
          description: body.description ?? null,
          ...given,
          ...columns,
          created_by: actorId,
          key_id: caller.keyId,
          ...{ rotated_by: null, rotated_with: null, rotated_at: null },
          created_at: now,
          last_used_at: null,
        }
        await tx.insertInto('api_key').values(row).execute()
        noteChanges(tx, 'apiKey', [row])
        const made = await toApiKey(tx, row, now)
        const { scopes } = made
        await audit(tx, trailOf(request), {
          action: 'api_key.created',
          organizationId,
          actorId,
          targetId: row.id,
          details: {
            ...{ name: row.name, role: row.role, serviceAccountId },
            ...(scopes && { scopes: scopes.join(' ') }),
          },
        })
        return {
          status: 201,
          body: { ...made, key },
          headers: { location: `${config.web.baseUrl}/v1/api-keys/${row.id}` },
        }
      })
    },
  )
}
