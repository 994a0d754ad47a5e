import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { LONGEST_DOMAIN } from '../../core/text/email.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { addDomain, MOST_DOMAINS, readDomainName, refuseMoreDomains } from './add-domain.ts'
import { DomainSchema, toDomain } from './domain-wire.ts'

/** `POST /v1/domains`. */
export function createDomainRoutes(
  server: Server,
  { config, once }: Pick<AccessDeps, 'config' | 'once'>,
): void {
  server.post(
    '/v1/domains',
    {
      config: { access: 'sign_in:write', once: true },
      schema: {
        tags: ['Domains'],
        operationId: 'createDomain',
        summary: 'Claim a domain',
        description: `The answer names a TXT record: publish it, then call \`POST /v1/domains/{id}/verify\`. Until then the domain gives nothing. Any number of organizations may claim a domain, and one may prove it. An organization may claim ${MOST_DOMAINS}.`,
        body: strict({
          name: Type.String({ minLength: 1, maxLength: LONGEST_DOMAIN, examples: ['acme.example'] }),
        }),
        response: { 201: DomainSchema },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { now, body } = request
        const caller = callerOf(request)
        const { organizationId, actorId } = caller
        const name = readDomainName(body.name)
        await refuseMoreDomains(tx, organizationId)
        await mustStillHave(tx, caller, 'sign_in:write', now)
        const row = await addDomain(tx, trailOf(request), { organizationId, actorId, name })
        if (row === undefined) throw new ApiError('DUPLICATE', { field: 'name', value: name })
        const headers = { location: `${config.web.baseUrl}/v1/domains/${row.id}` }
        return { status: 201, body: toDomain(row), headers }
      }),
  )
}
