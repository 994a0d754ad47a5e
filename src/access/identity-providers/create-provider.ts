import { trailOf } from '../../audit/audit.ts'
import { newId } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { callerOf } from '../../http/principal.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { addProvider, MOST_PROVIDERS, refuseMoreProviders } from './add-provider.ts'
import { connectionOf } from './provider-connection.ts'
import { columnsOf, mustBeAbleToVouch } from './provider-settings.ts'
import {
  IdentityProviderSchema,
  NewConnection,
  OF_ITS_KIND,
  ProviderFields,
  ProviderSettings,
  toIdentityProvider,
} from './provider-wire.ts'

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
        body: strict(
          {
            kind: ProviderFields.kind,
            name: ProviderFields.name,
            ...ProviderSettings,
            ...NewConnection,
          },
          OF_ITS_KIND,
        ),
        response: { 201: IdentityProviderSchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const connection = await connectionOf(body, organizationId, deps)
      return once(request, reply, async (tx) => {
        await refuseMoreProviders(tx, organizationId)
        await mustBeAbleToVouch(tx, caller, now)
        const row = await addProvider(tx, trailOf(request), vault, {
          ...{ id: newId('identityProvider', now), organizationId, actorId },
          ...{ name: body.name, connection },
          more: columnsOf(body as Parameters<typeof columnsOf>[0]),
        })
        const { baseUrl } = config.web
        const headers = { location: `${baseUrl}/v1/identity-providers/${row.id}` }
        return { status: 201, body: toIdentityProvider(row, baseUrl), headers }
      })
    },
  )
}
