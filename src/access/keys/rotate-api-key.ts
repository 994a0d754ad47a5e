import { audit, trailOf } from '../../audit/audit.ts'
import { HOUR } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit, noteChanges } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'
import { ApiKeyFields, toApiKey } from './api-key-wire.ts'
import { MOST_FORMER, OVERLAP_HOURS, OVERLAP_MOST_HOURS, replaceSecret } from './former-secrets.ts'
import { mustCover, mustReachOwned } from './giver-rights.ts'
import { newSecret } from './new-secret.ts'

/** `POST /v1/api-keys/{id}/rotate`: makes a new secret of a key; the previous one works for the overlap. */
export function rotateApiKeyRoutes(
  server: Server,
  { once, credentials }: Pick<AccessDeps, 'once' | 'credentials'>,
): void {
  server.post(
    '/v1/api-keys/:id/rotate',
    {
      config: { access: 'keys:write', once: true },
      schema: {
        tags: ['API keys'],
        operationId: 'rotateApiKey',
        summary: 'Rotate an API key',
        description: `Only this answer has the new secret (\`key\`). The previous one works for \`overlapHours\` more, and each earlier one until its own end, ${MOST_FORMER} at most (\`too_many_secrets\`). With \`overlapHours: 0\` every earlier secret ends at once: use it after a leak.`,
        params: strict({ id: IdSchema('apiKey') }),
        body: strict({
          overlapHours: Type.Optional(
            Type.Integer({
              ...{ minimum: 0, maximum: OVERLAP_MOST_HOURS, default: OVERLAP_HOURS },
              description: 'Hours for which the present secret works on.',
            }),
          ),
        }),
        response: { 200: Type.Object({ ...ApiKeyFields, key: Type.String() }) },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { body, now } = request
        const caller = callerOf(request)
        const { organizationId, actorId } = caller
        const overlapHours = body.overlapHours ?? OVERLAP_HOURS
        await lockOrganization(tx, organizationId)
        const right = await mustStillHave(tx, caller, 'keys:write', now)
        const before = await getOwned(tx, 'api_key', request.params.id, organizationId, lock)
        // The caller must have all rights of the key, because it gets a secret of it.
        mustCover(right, before)
        if (before.service_account_id !== actorId) mustReachOwned(right, before)
        if (before.expires_at !== null && before.expires_at <= now)
          throw new ApiError('FORBIDDEN', { reason: 'key_expired' })
        await replaceSecret(tx, before, overlapHours * HOUR, now)
        const { key, columns } = newSecret('psk')
        const after = await tx
          .updateTable('api_key')
          .set({
            ...columns,
            ...{ rotated_by: actorId, rotated_with: caller.keyId, rotated_at: now },
          })
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        noteChanges(tx, 'apiKey', [after])
        await audit(tx, trailOf(request), {
          action: 'api_key.rotated',
          organizationId,
          actorId,
          targetId: after.id,
          details: { name: after.name, overlapHours },
        })
        afterCommit(tx, credentials.clear)
        return { status: 200, body: { ...(await toApiKey(tx, after, now)), key } }
      }),
  )
}
