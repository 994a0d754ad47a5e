import { trailOf } from '../../audit/audit.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { lookUpRecord, recordCheck } from './check-domain.ts'
import { DomainSchema, toDomain } from './domain-wire.ts'

/** `POST /v1/domains/{id}/verify`. */
export function verifyDomainRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'database' | 'lookUpTexts' | 'jobs'>,
): void {
  const { database, lookUpTexts } = deps
  server.post(
    '/v1/domains/:id/verify',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Domains'],
        operationId: 'verifyDomain',
        summary: 'Look the record of a domain up',
        description:
          'Looks the record up now. The answer is the domain after that: `verified`, or unchanged with a `reason`. A domain that another organization has proven is `DUPLICATE`. A proven domain is checked every six hours; after its record has been missing for seven days, the proof is lost.',
        params: strict({ id: IdSchema('domain') }),
        response: { 200: DomainSchema },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const domain = await getOwned(database.db, 'domain', request.params.id, organizationId)
      const { id } = domain
      const found = await lookUpRecord(lookUpTexts, domain)
      const checked = await database.tx(async (tx) => {
        await mustStillHave(tx, caller, 'sign_in:write', request.now)
        return recordCheck(tx, deps, trailOf(request), { id, found, actorId, mayEnd: false })
      })
      if (checked === undefined) throw notFound('id', id)
      return toDomain(checked)
    },
  )
}
