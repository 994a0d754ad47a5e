import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/id.ts'
import { newToken } from '../../core/secret.ts'
import { LONGEST_DOMAIN, normalizeDomain } from '../../core/text/email.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { mustStillHave } from '../../http/still-holds.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import type { AccessDeps } from '../deps.ts'
import { DomainSchema, toDomain } from './domain-wire.ts'

/** Domains that an organization may claim. */
const MOST_DOMAINS = 50

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
        const name = normalizeDomain(body.name.trim())
        if (name === undefined)
          throw new ApiError('VALIDATION_FAILED', { field: 'name', value: body.name, reason: 'not_a_domain' })
        const rows = tx.selectFrom('domain').where('organization_id', '=', organizationId)
        await refuseBeyond(tx, organizationId, { rows, most: MOST_DOMAINS, reason: 'too_many_domains' })
        await mustStillHave(tx, caller, 'sign_in:write', now)
        const row: Tables['domain'] = {
          id: newId('domain', now),
          organization_id: organizationId,
          name,
          token: newToken(),
          ...{ status: 'pending', reason: null, job_id: null, created_by: actorId, created_at: now },
          ...{ checked_at: null, verified_at: null, failing_since: null },
        }
        const inserted = await tx
          .insertInto('domain')
          .values(row)
          .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
          .returning('id')
          .executeTakeFirst()
        if (inserted === undefined) throw new ApiError('DUPLICATE', { field: 'name', value: name })
        await audit(tx, trailOf(request), {
          action: 'domain.created',
          ...{ organizationId, actorId, targetId: row.id },
          details: { name },
        })
        const headers = { location: `${config.web.baseUrl}/v1/domains/${row.id}` }
        return { status: 201, body: toDomain(row), headers }
      }),
  )
}
