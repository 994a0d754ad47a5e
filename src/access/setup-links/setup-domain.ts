import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { LONGEST_DOMAIN } from '../../core/text/email.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { addDomain, readDomainName, refuseMoreDomains } from '../domains/add-domain.ts'
import { lookUpRecord, recordCheck } from '../domains/check-domain.ts'
import { findSetup, lockSetup } from './lock-setup.ts'
import type { SetupLink } from './setup-link-wire.ts'
import { SetupSchema, showSetup } from './setup-wire.ts'

/** Most domains that one link claims, so that room for the administrators remains. */
const MOST_OF_LINK = 10

/** `POST /v1/setup/domains`. */
export function setupDomainRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'lookUpTexts' | 'jobs'>,
): void {
  const { config, database, lookUpTexts } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/setup/domains',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'checkSetupDomain',
        summary: 'Claim a domain, and look its record up',
        description: `Claims the domain, unless the organization has claimed it, and looks the record up now: the domain is \`verified\`, or unchanged with a \`reason\`. A domain that another organization has proven is \`DUPLICATE\`. A link claims ${MOST_OF_LINK} domains at most.`,
        body: strict({
          name: Type.String({ minLength: 1, maxLength: LONGEST_DOMAIN, examples: ['acme.example'] }),
        }),
        response: { 200: SetupSchema },
      },
    },
    async (request) => {
      const { now, body } = request
      const setup = await findSetup(database.db, request, cookies.setup, 'domains')
      const name = readDomainName(body.name)
      const trail = trailOf(request)
      const domain = await database.tx(async (tx) => {
        const link = await lockSetup(tx, setup.link, now)
        const known = await findDomain(tx, link, name)
        if (known !== undefined) return known
        await mustClaimNoMore(tx, link)
        const { id: actorId, organization_id: organizationId } = link
        return addDomain(tx, trail, { organizationId, actorId, name })
      })
      if (domain === undefined) throw new ApiError('DUPLICATE', { field: 'name', value: name })
      const found = await lookUpRecord(lookUpTexts, domain)
      await database.tx(async (tx) => {
        const { id: actorId } = await lockSetup(tx, setup.link, now)
        await recordCheck(tx, deps, trail, { id: domain.id, found, actorId, mayEnd: false })
      })
      return showSetup(database.db, setup, config.web.baseUrl)
    },
  )
}

function findDomain(
  tx: Tx,
  { organization_id }: SetupLink,
  name: string,
): Promise<Tables['domain'] | undefined> {
  return tx
    .selectFrom('domain')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** @throws ApiError FORBIDDEN `too_many_domains` */
async function mustClaimNoMore(tx: Tx, { id, organization_id }: SetupLink): Promise<void> {
  await refuseMoreDomains(tx, organization_id)
  const claimed = await tx
    .selectFrom('domain')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('created_by', '=', id)
    .execute()
  if (claimed.length >= MOST_OF_LINK)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_domains', limit: MOST_OF_LINK })
}
