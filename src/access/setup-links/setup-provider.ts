import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { SIZE } from '../../core/limits.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { forgetFlowsTo } from '../../oauth/flow-state.ts'
import type { AccessDeps } from '../deps.ts'
import { addProvider, refuseMoreProviders } from '../identity-providers/add-provider.ts'
import { laterThan } from '../identity-providers/later-than.ts'
import { connectionOf, sealed } from '../identity-providers/provider-connection.ts'
import { NewConnection, OF_ITS_KIND, ProviderFields, speakerOf } from '../identity-providers/provider-wire.ts'
import { findSetup, lockSetup } from './lock-setup.ts'
import type { SetupLink } from './setup-link-wire.ts'
import { isChangeable, SetupSchema, showSetup } from './setup-wire.ts'

type Provider = Tables['identity_provider']

/** `PUT /v1/setup/identity-provider`. */
export function setupProviderRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'vault' | 'isAllowed' | 'resolve' | 'saml'>,
): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.put(
    '/v1/setup/identity-provider',
    {
      config: { access: 'public', rates: ['authorizePerIp'] },
      bodyLimit: SIZE.eventBody,
      schema: {
        tags: ['Setup links'],
        operationId: 'changeSetupProvider',
        summary: 'Enter how the identity provider is reached',
        description:
          'The first call adds the provider, disabled; a later call replaces its connection settings, secret included. The call is `FORBIDDEN` (`changed_elsewhere`) after the provider was enabled, or an administrator has changed it.',
        body: strict({ kind: ProviderFields.kind, ...NewConnection }, OF_ITS_KIND),
        response: { 200: SetupSchema },
      },
    },
    async (request) => {
      const { now, body } = request
      const setup = await findSetup(database.db, request, cookies.setup, 'provider')
      const connection = await connectionOf(body, setup.organization.id, deps)
      const link = await database.tx(async (tx) => {
        const locked = await lockSetup(tx, setup.link, now)
        const before = await lockOwnProvider(tx, locked)
        const changedAt = laterThan(before, now)
        const trail = trailOf(request)
        const { id: actorId, organization_id: organizationId, identity_provider_id: id } = locked
        if (before === undefined) {
          await refuseMoreProviders(tx, organizationId)
          await addProvider(tx, trail, vault, {
            ...{ id, organizationId, actorId, name: locked.name, connection },
            more: {
              ...{ status: 'disabled', updated_at: changedAt },
              creates_memberships: locked.creates_memberships,
            },
          })
        } else {
          const columns = { kind: connection.kind, ...sealed(vault, id, connection), updated_at: changedAt }
          await tx.updateTable('identity_provider').set(columns).where('id', '=', id).execute()
          noteChanges(tx, 'identityProvider', [before])
          // Those flows began with the earlier settings.
          await forgetFlowsTo(tx, id)
          await audit(tx, trail, {
            action: 'identity_provider.updated',
            ...{ organizationId, actorId, targetId: id },
            details: {
              ...{ changed: connection.kind, name: before.name, status: before.status },
              issuer: speakerOf({ ...before, ...columns }),
            },
          })
        }
        noteChanges(tx, 'setupLink', [locked])
        return tx
          .updateTable('setup_link')
          .set({ provider_changed_at: changedAt, test: null })
          .where('id', '=', locked.id)
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return showSetup(database.db, { ...setup, link }, config.web.baseUrl)
    },
  )
}

/**
 * The identity provider that a link may still change, locked; the organization is locked by `tx`.
 * @returns undefined before it is made
 * @throws ApiError FORBIDDEN `changed_elsewhere` where it is enabled, or where an administrator has changed or deleted it
 */
export async function lockOwnProvider(tx: Tx, link: SetupLink): Promise<Provider | undefined> {
  const row = tx.selectFrom('identity_provider').selectAll().where('id', '=', link.identity_provider_id)
  const found = await lock(tx, row).executeTakeFirst()
  if (!isChangeable(link, found)) throw new ApiError('FORBIDDEN', { reason: 'changed_elsewhere' })
  return found
}
