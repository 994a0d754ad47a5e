import { audit, trailOf } from '../../audit/audit.ts'
import { DAY, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'
import {
  listOwnKeys,
  OVERLAP_DAYS,
  OVERLAP_MOST_DAYS,
  type OwnKeys,
  type Purpose,
  replaceOwnKey,
} from './own-keys.ts'

/** `POST /v1/identity-providers/{id}/rotate-keys`. */
export function rotateOwnKeyRoutes(
  server: Server,
  { database, vault, ownKeys }: Pick<AccessDeps, 'database' | 'vault'> & { ownKeys: OwnKeys },
): void {
  server.post(
    '/v1/identity-providers/:id/rotate-keys',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'rotateIdentityProviderKeys',
        summary: 'Rotate the keys for a SAML provider',
        description:
          'SAML: replaces the encryption key of Postern for the provider, and the signing key if one exists. The metadata has the new certificates at once. The replaced keys stay valid for `overlapDays`, and Postern signs with the replaced signing key until then. Enter the new certificates at the provider within that time. A second call while replaced keys are valid makes no key and sets their end again; `overlapDays: 0` ends them at once.',
        params: strict({ id: IdSchema('identityProvider') }),
        body: strict({
          overlapDays: Type.Optional(
            Type.Integer({
              ...{ minimum: 0, maximum: OVERLAP_MOST_DAYS, default: OVERLAP_DAYS },
              description: 'Days for which the present keys work on.',
            }),
          ),
        }),
        response: {
          200: Type.Object({ previousEndsAt: Moment }, { title: 'IdentityProviderKeyRotation' }),
        },
      },
    },
    async (request) => {
      const { now, body, params } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const overlapDays = body.overlapDays ?? OVERLAP_DAYS
      const { id, kind } = await getOwned(database.db, 'identity_provider', params.id, organizationId)
      if (kind !== 'saml') throw new ApiError('VALIDATION_FAILED', { field: 'id', reason: 'another_kind' })
      const made = new Map([['encryption' as Purpose, await ownKeys.make(organizationId, now)]])
      // The signing key is made at its first use.
      if ((await listOwnKeys(database.db, { id }, 'signing', now)).length > 0)
        made.set('signing', await ownKeys.make(organizationId, now))
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'sign_in:write', now)
        const row = await getOwned(tx, 'identity_provider', id, organizationId, lock)
        for (const [purpose, key] of made)
          await replaceOwnKey(tx, vault, row, purpose, { made: key, overlapDays, now })
        await audit(tx, trailOf(request), {
          action: 'identity_provider.keys_rotated',
          ...{ organizationId, actorId, targetId: id },
          details: { name: row.name, overlapDays },
        })
      })
      return { previousEndsAt: toIso(now + overlapDays * DAY) }
    },
  )
}
