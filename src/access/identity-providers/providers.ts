import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, noteMany, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endProviderEntry } from '../accounts/end-provider-entry.ts'
import type { AccessDeps } from '../deps.ts'
import { IdentityProviderSchema, toIdentityProvider } from './provider-wire.ts'

/** List, read and delete the identity providers of an organization. */
export function providerRoutes(
  server: Server,
  { config, database, credentials }: Pick<AccessDeps, 'config' | 'database' | 'credentials'>,
): void {
  const { baseUrl } = config.web

  server.get(
    '/v1/identity-providers',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'listIdentityProviders',
        summary: 'List identity providers',
        description: 'All identity providers, oldest first.',
        response: { 200: Type.Object({ data: Type.Array(IdentityProviderSchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const rows = await database.db
        .selectFrom('identity_provider')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return { data: rows.map((row) => toIdentityProvider(row, baseUrl)), nextCursor: null }
    },
  )

  server.get(
    '/v1/identity-providers/:id',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'readIdentityProvider',
        summary: 'Read an identity provider',
        params: strict({ id: IdSchema('identityProvider') }),
        response: { 200: IdentityProviderSchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'identity_provider', request.params.id, organizationId)
      return toIdentityProvider(row, baseUrl)
    },
  )

  server.delete(
    '/v1/identity-providers/:id',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'deleteIdentityProvider',
        summary: 'Delete an identity provider',
        description:
          'Ends the sessions and grants that it began, and deletes its linked identities. Memberships stay. The last active provider cannot be deleted while the organization requires its sign-in (`sign_in_required`).',
        params: strict({ id: IdSchema('identityProvider') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { id } = await getOwned(database.db, 'identity_provider', request.params.id, organizationId)
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'sign_in:write', request.now)
        const row = await getOwned(tx, 'identity_provider', id, organizationId, lock)
        await keepProvider(tx, organizationId, id)
        const trail = trailOf(request)
        const ended = await endProviderEntry(tx, trail, { id, actorId })
        await tx.deleteFrom('identity').where('provider', '=', id).execute()
        await tx.deleteFrom('identity_provider').where('id', '=', id).execute()
        noteMany(tx, organizationId)
        await audit(tx, trail, {
          action: 'identity_provider.deleted',
          ...{ organizationId, actorId, targetId: id },
          details: { name: row.name, endedSessions: ended },
        })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}

/**
 * Keeps one active identity provider of an organization that requires its members to sign in by one. `tx` must have locked the
 * organization.
 * @throws ApiError FORBIDDEN `sign_in_required` where `id` is the last one
 */
export async function keepProvider(
  tx: Tx,
  organizationId: Id<'organization'>,
  id: Id<'identityProvider'>,
): Promise<void> {
  const organization = await tx
    .selectFrom('organization')
    .select('sign_in_required_at')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (typeof organization?.sign_in_required_at !== 'number') return
  const other = await tx
    .selectFrom('identity_provider')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other === undefined) throw new ApiError('FORBIDDEN', { reason: 'sign_in_required' })
}
