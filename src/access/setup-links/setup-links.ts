import { audit, trailOf } from '../../audit/audit.ts'
import { noteChanges } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { forgetFlowsTo } from '../../oauth/flow-state.ts'
import type { AccessDeps } from '../deps.ts'
import { SetupLinkSchema, toSetupLink } from './setup-link-wire.ts'

/** List, read and revoke the setup links of an organization. */
export function setupLinkRoutes(server: Server, { database }: Pick<AccessDeps, 'database'>): void {
  server.get(
    '/v1/setup-links',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Setup links'],
        operationId: 'listSetupLinks',
        summary: 'List setup links',
        description: 'Newest first; ended links are kept for `RETENTION_DAYS`.',
        querystring: strict({
          ...PageQuery,
          onlyOpen: Type.Optional(
            Type.Boolean({ default: false, description: 'Only links that can still be used.' }),
          ),
        }),
        response: { 200: Page(SetupLinkSchema) },
      },
    },
    async (request) => {
      const { onlyOpen = false } = request.query
      const page = readPage('setupLink', request.query)
      const rows = await database.db
        .selectFrom('setup_link')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .$if(onlyOpen, (query) =>
          query.where('status', 'in', ['pending', 'opened']).where('expires_at', '>', request.now),
        )
        .$call(inPage(page))
        .execute()
      return toPage(rows, page, (row) => toSetupLink(row, request.now))
    },
  )

  server.get(
    '/v1/setup-links/:id',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Setup links'],
        operationId: 'readSetupLink',
        summary: 'Read a setup link',
        params: strict({ id: IdSchema('setupLink') }),
        response: { 200: SetupLinkSchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'setup_link', request.params.id, organizationId)
      return toSetupLink(row, request.now)
    },
  )

  server.delete(
    '/v1/setup-links/:id',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Setup links'],
        operationId: 'revokeSetupLink',
        summary: 'Revoke a setup link',
        description:
          'Ends the link at once, also in the browser that opened it. Everything that was set up stays: domains, the identity provider and the API key belong to the organization.',
        params: strict({ id: IdSchema('setupLink') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { id } = await getOwned(database.db, 'setup_link', request.params.id, organizationId)
      await database.tx(async (tx) => {
        await mustStillHave(tx, caller, 'sign_in:write', request.now)
        const ended = await tx
          .updateTable('setup_link')
          .set({ status: 'revoked', ended_at: request.now })
          .where('id', '=', id)
          .where('status', 'in', ['pending', 'opened'])
          .returning(['identity_provider_id', 'name'])
          .executeTakeFirst()
        // A second call finds it ended.
        if (ended === undefined) return
        noteChanges(tx, 'setupLink', [{ id, organization_id: organizationId }])
        await forgetFlowsTo(tx, ended.identity_provider_id)
        await audit(tx, trailOf(request), {
          action: 'setup_link.revoked',
          ...{ organizationId, actorId, targetId: id },
          details: { name: ended.name },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
