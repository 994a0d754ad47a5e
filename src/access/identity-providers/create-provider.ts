import { audit, trailOf } from '../../audit/audit.ts'
import { newId } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import type { AccessDeps } from '../deps.ts'
import { connectionOf, sealed } from './provider-connection.ts'
import { columnsOf, holdRoles, mustBeAbleToVouch } from './provider-settings.ts'
import { IdentityProviderSchema, ProviderFields, speakerOf, toIdentityProvider } from './provider-wire.ts'
import { rolesOf } from './role-rules.ts'

/** Identity providers that an organization may have. */
const MOST_PROVIDERS = 10

/** `POST /v1/identity-providers`. */
export function createProviderRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'once' | 'vault' | 'isAllowed' | 'resolve' | 'saml'>,
): void {
  const { config, once, vault } = deps
  server.post(
    '/v1/identity-providers',
    {
      config: { access: 'sign_in:write', once: true },
      bodyLimit: SIZE.eventBody,
      schema: {
        tags: ['Identity providers'],
        operationId: 'createIdentityProvider',
        summary: 'Add an identity provider',
        description: `Register \`redirectUri\` of the answer at the provider; of SAML also \`ownEntityId\`, or have it read \`ownMetadataUrl\`. It vouches for every member of the organization, so the caller must have all permissions (\`all_permissions_required\`). An organization may have ${MOST_PROVIDERS}.`,
        body: strict({
          kind: ProviderFields.kind,
          name: ProviderFields.name,
          status: Type.Optional(ProviderFields.status),
          oidc: Type.Optional(ProviderFields.oidc),
          saml: Type.Optional(ProviderFields.saml),
          createsMemberships: Type.Optional(ProviderFields.createsMemberships),
          managesRoles: Type.Optional(ProviderFields.managesRoles),
          defaultRole: Type.Optional(ProviderFields.defaultRole),
          roleRules: Type.Optional(ProviderFields.roleRules),
          secondFactorValues: Type.Optional(ProviderFields.secondFactorValues),
        }),
        response: { 201: IdentityProviderSchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const connection = await connectionOf(body, organizationId, deps)
      return once(request, reply, async (tx) => {
        const rows = tx.selectFrom('identity_provider').where('organization_id', '=', organizationId)
        await refuseBeyond(tx, organizationId, {
          ...{ rows, most: MOST_PROVIDERS, reason: 'too_many_identity_providers' },
        })
        await mustBeAbleToVouch(tx, caller, now)
        const id = newId('identityProvider', now)
        const row: Tables['identity_provider'] = {
          ...{ id, organization_id: organizationId, kind: body.kind, name: body.name, status: 'active' },
          ...sealed(vault, id, connection),
          ...{ creates_memberships: 0, manages_roles: 0, default_role: 'member', role_rules: '[]' },
          ...{ factor_values: '[]', created_by: actorId, created_at: now, updated_at: now },
          last_sign_in_at: null,
          ...columnsOf(body as Parameters<typeof columnsOf>[0]),
        }
        await holdRoles(tx, organizationId, rolesOf(row))
        await tx.insertInto('identity_provider').values(row).execute()
        await audit(tx, trailOf(request), {
          action: 'identity_provider.created',
          ...{ organizationId, actorId, targetId: id },
          details: { name: row.name, kind: row.kind, issuer: speakerOf(row), status: row.status },
        })
        const { baseUrl } = config.web
        const headers = { location: `${baseUrl}/v1/identity-providers/${id}` }
        return { status: 201, body: toIdentityProvider(row, baseUrl), headers }
      })
    },
  )
}
