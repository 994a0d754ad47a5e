import { trailOf } from '../audit/audit.ts'
import { available } from '../billing/credits/account.ts'
import { grant } from '../billing/credits/grants.ts'
import { openAccount } from '../billing/credits/open-account.ts'
import { ApiError } from '../core/errors.ts'
import { newId, parseId } from '../core/id.ts'
import { LABEL_PATTERN } from '../core/text/label.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { ExternalIdSchema, IdSchema, NameSchema, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { createOrganization, readTaken } from '../organizations/organizations.ts'
import type { OperatorDeps } from './deps.ts'
import { selectOrganizations } from './list-organizations.ts'
import { OperatedOrganization, readOrganization, toOrganization } from './organization-wire.ts'

const ById = strict({ id: IdSchema('organization') })
const tags = ['Operator']
/** The most credits that a plan may give in a cycle. */
const MOST_CREDITS = 1_000_000_000
const Reason = Type.String({ minLength: 1, maxLength: 200, pattern: LABEL_PATTERN })

/** Routes that list and make organizations, and grant them credits. */
export function organizationRoutes(server: Server, { config, database, once }: OperatorDeps): void {
  const { book, default: defaultPlan } = config.plans
  const PlanName = Type.String({ enum: [...book.plans.keys()] })

  server.get(
    '/v1/operator/organizations',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listAllOrganizations',
        summary: 'List the organizations of the installation',
        querystring: strict({
          ...PageQuery,
          name: Type.Optional(NameSchema),
          externalId: Type.Optional(ExternalIdSchema),
        }),
        response: { 200: Page(OperatedOrganization) },
      },
    },
    async ({ query }) => {
      const page = readPage('organization', query)
      const rows = await selectOrganizations(database.db)
        .$if(query.name !== undefined, (select) => select.where('name', '=', query.name ?? ''))
        .$if(query.externalId !== undefined, (select) =>
          select.where('external_id', '=', query.externalId ?? ''),
        )
        .$call(inPage(page, 'organization.id'))
        .execute()
      return toPage(rows, page, (row) => toOrganization(book, row))
    },
  )

  server.post(
    '/v1/operator/organizations',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'createOrganization',
        summary: 'Make an organization',
        description: 'Invite its first administrator by `POST /v1/operator/organizations/{id}/invitations`.',
        body: strict({
          name: NameSchema,
          externalId: Type.Optional(ExternalIdSchema),
          plan: Type.Optional(PlanName),
        }),
        response: { 201: OperatedOrganization },
      },
    },
    async (request, reply) => {
      const name = request.body.name.trim()
      const { externalId, plan = defaultPlan } = request.body
      return once(request, reply, async (tx) => {
        const id = await createOrganization(tx, trailOf(request), { name, plan, externalId })
        if (id === undefined) throw new ApiError('DUPLICATE', await readTaken(tx, { name, externalId }))
        return { status: 201, body: await readOrganization(tx, book, id) }
      })
    },
  )

  server.post(
    '/v1/operator/organizations/:id/credits',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'grantCredits',
        summary: 'Give an organization credits',
        description: 'They stay until they are spent. The same `reference` grants them only once.',
        params: ById,
        body: strict({
          credits: Type.Integer({ minimum: 1, maximum: MOST_CREDITS }),
          reason: Reason,
          reference: Type.Optional(Reason),
        }),
        response: { 200: Type.Object({ granted: Type.Boolean(), balance: Type.Integer() }) },
      },
    },
    async (request, reply) => {
      const organizationId = parseId('organization', request.params.id)
      const { credits, reason, reference: key = newId('request', request.now) } = request.body
      return once(request, reply, async (tx) => {
        await readOrganization(tx, book, organizationId)
        const wanted = { organizationId, credits, reason: reason.trim(), key }
        const { isNew } = await grant(tx, book, trailOf(request), wanted)
        const account = await openAccount(tx, book, organizationId, request.now)
        return { status: 200, body: { granted: isNew, balance: available(account) } }
      })
    },
  )
}
