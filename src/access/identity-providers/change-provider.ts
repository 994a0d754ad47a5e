import { audit, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { forgetFlowsTo } from '../../oauth/flow-state.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endProviderEntry } from '../accounts/end-provider-entry.ts'
import type { AccessDeps } from '../deps.ts'
import { laterThan } from './later-than.ts'
import { linksWithProviders } from './links-with-providers.ts'
import { changedConnection, mustBeOfKind } from './provider-connection.ts'
import { checkIssuer, columnsOf, holdRoles, mustBeAbleToVouch } from './provider-settings.ts'
import {
  IdentityProviderSchema,
  ProviderFields,
  ProviderSettings,
  speakerOf,
  toIdentityProvider,
} from './provider-wire.ts'
import { keepProvider } from './providers.ts'
import { rolesOf } from './role-rules.ts'
import { checkSaml, losesCertificate } from './saml-settings.ts'

/** `PATCH /v1/identity-providers/{id}`. */
export function changeProviderRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'vault' | 'credentials' | 'isAllowed' | 'resolve' | 'saml'>,
): void {
  const { config, database, vault, credentials } = deps
  server.patch(
    '/v1/identity-providers/:id',
    {
      config: { access: 'sign_in:write' },
      bodyLimit: SIZE.eventBody,
      schema: {
        tags: ['Identity providers'],
        operationId: 'updateIdentityProvider',
        summary: 'Change an identity provider',
        description:
          'A new issuer or entity is another provider: a new issuer requires a client secret, and the linked identities of the old one are deleted. Omitted members of `saml` do not change; `certificates` replaces all certificates. `disabled` ends the sessions and grants that the provider began, and so does a new issuer. A provider that the holder of a setup link may still change cannot be enabled (`setup_under_way`): revoke the link first, or wait for its end. The caller must have all permissions.',
        params: strict({ id: IdSchema('identityProvider') }),
        body: strict(
          {
            name: Type.Optional(ProviderFields.name),
            ...ProviderSettings,
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
      const { id, kind } = await getOwned(database.db, 'identity_provider', request.params.id, organizationId)
      mustBeOfKind(kind, body)
      if (body.oidc !== undefined) await checkIssuer(body.oidc.issuer, organizationId, deps)
      const saml = body.saml && (await checkSaml(body.saml, organizationId, deps))
      const after = await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustBeAbleToVouch(tx, caller, now)
        const before = await getOwned(tx, 'identity_provider', id, organizationId, lock)
        const columns = {
          ...columnsOf(body as Parameters<typeof columnsOf>[0]),
          ...changedConnection(vault, before, {
            ...(body.oidc && { oidc: body.oidc }),
            ...(saml && { saml }),
          }),
          updated_at: laterThan(before, now),
        }
        const row: Tables['identity_provider'] = { ...before, ...columns }
        if (before.status === 'disabled' && row.status === 'active') await refuseUnderWay(tx, id, now)
        if (before.status === 'active' && row.status === 'disabled')
          await keepProvider(tx, organizationId, id)
        await holdRoles(tx, organizationId, rolesOf(row))
        await tx.updateTable('identity_provider').set(columns).where('id', '=', id).execute()
        noteChanges(tx, 'identityProvider', [row])
        const trail = trailOf(request)
        const isAnother = speakerOf(before) !== speakerOf(row)
        if (isAnother) await tx.deleteFrom('identity').where('provider', '=', id).execute()
        const isEnded = isAnother || (before.status === 'active' && row.status === 'disabled')
        // An answer that the certificate signed may wait for its browser.
        if (losesCertificate(before, row)) await forgetFlowsTo(tx, id)
        const endedSessions = isEnded ? await endProviderEntry(tx, trail, { id, actorId }) : 0
        await audit(tx, trail, {
          action: 'identity_provider.updated',
          ...{ organizationId, actorId, targetId: id },
          details: {
            changed: Object.keys(body).join(' '),
            ...{ name: row.name, status: row.status, issuer: speakerOf(row) },
            ...(isEnded && { endedSessions }),
          },
        })
        if (isEnded) afterCommit(tx, credentials.clear)
        return row
      })
      return toIdentityProvider(after, config.web.baseUrl)
    },
  )
}

/**
 * An identity provider is enabled as the administrator has seen it: not while the holder of a setup link may still change it.
 * @throws ApiError FORBIDDEN `setup_under_way`
 */
async function refuseUnderWay(tx: Tx, id: Id<'identityProvider'>, now: Millis): Promise<void> {
  const link = await linksWithProviders(tx)
    .select('setup_link.id')
    .where('setup_link.identity_provider_id', '=', id)
    .where('setup_link.status', '=', 'opened')
    .where('setup_link.expires_at', '>', now)
    .executeTakeFirst()
  if (link !== undefined) throw new ApiError('FORBIDDEN', { reason: 'setup_under_way', setupLinkId: link.id })
}
