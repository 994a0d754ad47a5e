import { audit, trailOf } from '../../audit/audit.ts'
import { noteMany } from '../../db/database.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { DomainSchema, toDomain } from './domain-wire.ts'

/** List, read and delete the domains of an organization. */
export function domainRoutes(
  server: Server,
  { database, jobs }: Pick<AccessDeps, 'database' | 'jobs'>,
): void {
  server.get(
    '/v1/domains',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Domains'],
        operationId: 'listDomains',
        summary: 'List domains',
        description: 'All domains, oldest first.',
        response: { 200: Type.Object({ data: Type.Array(DomainSchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const rows = await database.db
        .selectFrom('domain')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .orderBy('id')
        .execute()
      return { data: rows.map(toDomain), nextCursor: null }
    },
  )

  server.get(
    '/v1/domains/:id',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Domains'],
        operationId: 'readDomain',
        summary: 'Read a domain',
        params: strict({ id: IdSchema('domain') }),
        response: { 200: DomainSchema },
      },
    },
    async (request) =>
      toDomain(await getOwned(database.db, 'domain', request.params.id, callerOf(request).organizationId)),
  )

  server.delete(
    '/v1/domains/:id',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Domains'],
        operationId: 'deleteDomain',
        summary: 'Give a domain up',
        description: 'Ends its proof: another organization may prove it from then on.',
        params: strict({ id: IdSchema('domain') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { id } = await getOwned(database.db, 'domain', request.params.id, organizationId)
      await database.tx(async (tx) => {
        await mustStillHave(tx, caller, 'sign_in:write', request.now)
        const { job_id: jobId } = await getOwned(tx, 'domain', id, organizationId)
        // The job ends before its subject.
        if (jobId !== null) await jobs.cancel(tx, organizationId, jobId, request.now)
        const deleted = await tx
          .deleteFrom('domain')
          .where('id', '=', id)
          .returning('name')
          .executeTakeFirst()
        if (deleted === undefined) throw notFound('id', id)
        noteMany(tx, organizationId)
        await audit(tx, trailOf(request), {
          action: 'domain.deleted',
          ...{ organizationId, actorId, targetId: id },
          details: { name: deleted.name },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
