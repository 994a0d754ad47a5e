import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endProviderEntry } from '../accounts/end-provider-entry.ts'
import type { AccessDeps } from '../deps.ts'
import { checkIssuer, columnsOf, holdRoles, mustBeAbleToVouch } from './provider-settings.ts'
import { IdentityProviderSchema, ProviderFields, readOidc, toIdentityProvider } from './provider-wire.ts'
import { keepProvider } from './providers.ts'
import { rolesOf } from './role-rules.ts'

/** `PATCH /v1/identity-providers/{id}`. */
export function changeProviderRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'vault' | 'credentials' | 'isAllowed' | 'resolve'>,
): void {
  const { config, database, vault, credentials } = deps
  server.patch(
    '/v1/identity-providers/:id',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'updateIdentityProvider',
        summary: 'Change an identity provider',
        description:
          'Another issuer is another provider: it takes a client secret, and the people of the one before are forgotten. `disabled` ends the sessions and grants that it began, as another issuer does. The caller must have all permissions.',
        params: strict({ id: IdSchema('identityProvider') }),
        body: strict(
          {
            name: Type.Optional(ProviderFields.name),
            status: Type.Optional(ProviderFields.status),
            oidc: Type.Optional(ProviderFields.oidc),
            createsMemberships: Type.Optional(ProviderFields.createsMemberships),
            managesRoles: Type.Optional(ProviderFields.managesRoles),
            defaultRole: Type.Optional(ProviderFields.defaultRole),
            roleRules: Type.Optional(ProviderFields.roleRules),
            secondFactorValues: Type.Optional(ProviderFields.secondFactorValues),
          },
          { minProperties: 1 },
        ),
        response: { 200: IdentityProviderSchema },
      },
    },
    async (request) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { id } = await getOwned(database.db, 'identity_provider', request.params.id, organizationId)
      if (body.oidc !== undefined) await checkIssuer(body.oidc.issuer, organizationId, deps)
      const after = await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustBeAbleToVouch(tx, caller, now)
        const before = await getOwned(tx, 'identity_provider', id, organizationId, lock)
        const columns = {
          ...columnsOf(body as Parameters<typeof columnsOf>[0]),
          ...connectionColumns(before, body.oidc),
          updated_at: now,
        }
        const row: Tables['identity_provider'] = { ...before, ...columns }
        if (before.status === 'active' && row.status === 'disabled')
          await keepProvider(tx, organizationId, id)
        await holdRoles(tx, organizationId, rolesOf(row))
        await tx.updateTable('identity_provider').set(columns).where('id', '=', id).execute()
        const trail = trailOf(request)
        const isAnother = readOidc(before).issuer !== readOidc(row).issuer
        if (isAnother) await tx.deleteFrom('identity').where('provider', '=', id).execute()
        const isEnded = isAnother || (before.status === 'active' && row.status === 'disabled')
        const endedSessions = isEnded ? await endProviderEntry(tx, trail, { id, actorId }) : 0
        await audit(tx, trail, {
          action: 'identity_provider.updated',
          ...{ organizationId, actorId, targetId: id },
          details: {
            changed: Object.keys(body).join(' '),
            ...{ name: row.name, status: row.status, issuer: readOidc(row).issuer },
            ...(isEnded && { endedSessions }),
          },
        })
        if (isEnded) afterCommit(tx, credentials.clear)
        return row
      })
      return toIdentityProvider(after, config.web.baseUrl)
    },
  )

  /** @throws ApiError MISSING_REQUIRED_FIELD where another issuer would be sent the secret of this one */
  function connectionColumns(
    { id, settings }: Pick<Tables['identity_provider'], 'id' | 'settings'>,
    oidc: { issuer: string; clientId: string; clientSecret?: string | undefined } | undefined,
  ): Partial<Tables['identity_provider']> {
    if (oidc === undefined) return {}
    const { issuer, clientId, clientSecret } = oidc
    if (clientSecret === undefined && issuer !== readOidc({ settings }).issuer)
      throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'oidc.clientSecret' })
    return {
      settings: JSON.stringify({ issuer, clientId }),
      ...(clientSecret !== undefined && {
        secret: vault.seal(clientSecret, sealContext('identity_provider', id)),
      }),
    }
  }
}
