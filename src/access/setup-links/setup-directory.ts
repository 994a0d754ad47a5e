import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import type { Server } from '../../http/server.ts'
import { endKeys } from '../accounts/end-keys.ts'
import type { AccessDeps } from '../deps.ts'
import { refuseMoreKeys } from '../keys/key-limit.ts'
import { newSecret } from '../keys/new-secret.ts'
import { addServiceAccount } from '../keys/service-account-store.ts'
import { findSetup, lockSetup } from './lock-setup.ts'

/** The key of a directory, which is valid only for SCIM. */
export const DIRECTORY_KEY = {
  ...{ role: 'administrator', scopes: '["scim:write"]', allowed_addresses: null, expires_at: null },
} as const satisfies Partial<Tables['api_key']>

/** `POST /v1/setup/directory`. */
export function setupDirectoryRoutes(
  server: Server,
  { config, database, credentials }: Pick<AccessDeps, 'config' | 'database' | 'credentials'>,
): void {
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)

  server.post(
    '/v1/setup/directory',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'createSetupDirectoryKey',
        summary: 'Make the API key of the directory',
        description:
          'The key has only the scope of SCIM, and only this answer shows it. A further call replaces the key by a new one and revokes the old one. The call is `FORBIDDEN` (`key_changed_elsewhere`) after an administrator has deleted, rotated or limited the key.',
        response: { 201: Type.Object({ url: Type.String(), key: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { now } = request
      const setup = await findSetup(database.db, request, cookies.setup, 'directory')
      const { key, columns } = newSecret('psk')
      await database.tx(async (tx) => {
        const trail = trailOf(request)
        const link = await lockSetup(tx, setup.link, now)
        const { organization_id: organizationId, id: actorId } = link
        const before = link.api_key_id === null ? undefined : await lockOwnKey(tx, link.api_key_id)
        if (before !== undefined) {
          await endKeys(tx, trail, { organizationId, actorId }, { id: before.id })
          afterCommit(tx, credentials.clear)
        }
        await refuseMoreKeys(tx, organizationId)
        const name = [...`Directory: ${link.name}`].slice(0, 100).join('')
        const serviceAccountId =
          before?.service_account_id ??
          (
            await addServiceAccount(
              tx,
              trail,
              { kind: 'setupLink', organizationId, actorId, keyId: null },
              { name, ownerId: null },
            )
          ).id
        const row: Tables['api_key'] = {
          ...{
            id: newId('apiKey', now),
            organization_id: organizationId,
            service_account_id: serviceAccountId,
          },
          ...{ name, description: null, ...DIRECTORY_KEY, ...columns },
          // The key counts as made by the maker of the link, who may also have opened the link.
          ...{ created_by: link.created_by, key_id: link.key_id },
          ...{ rotated_by: null, rotated_with: null, rotated_at: null, created_at: now, last_used_at: null },
        }
        await tx.insertInto('api_key').values(row).execute()
        noteChanges(tx, 'apiKey', [row])
        await tx.updateTable('setup_link').set({ api_key_id: row.id }).where('id', '=', link.id).execute()
        await audit(tx, trail, {
          action: 'api_key.created',
          ...{ organizationId, actorId, targetId: row.id },
          details: { name, role: row.role, serviceAccountId, scopes: 'scim:write' },
        })
      })
      return reply.code(201).send({ url: `${baseUrl}${SCIM_PATH}`, key })
    },
  )
}

/**
 * The key that a link has made and may replace, locked; the organization is locked by `tx`.
 * @throws ApiError FORBIDDEN `key_changed_elsewhere` where an administrator has deleted, rotated or limited it
 */
async function lockOwnKey(tx: Tx, id: Id<'apiKey'>): Promise<Tables['api_key']> {
  const row = tx.selectFrom('api_key').selectAll().where('id', '=', id)
  const found = await lock(tx, row).executeTakeFirst()
  if (
    found === undefined ||
    found.rotated_at !== null ||
    found.allowed_addresses !== DIRECTORY_KEY.allowed_addresses ||
    found.expires_at !== DIRECTORY_KEY.expires_at
  )
    throw new ApiError('FORBIDDEN', { reason: 'key_changed_elsewhere' })
  return found
}
