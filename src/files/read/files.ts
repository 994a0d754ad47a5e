import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { FileDeps } from '../deps.ts'
import { FileSchema, toWire } from '../file-wire.ts'

/** Listing, reading and deleting files. */
export function fileRoutes(
  server: Server,
  deps: Pick<FileDeps, 'blobs' | 'charge' | 'database' | 'jobs' | 'onDeleted'>,
): void {
  const { blobs, charge, database, jobs, onDeleted } = deps

  server.get(
    '/v1/files',
    {
      config: { access: 'files:read' },
      schema: {
        tags: ['Files'],
        operationId: 'listFiles',
        summary: 'List files',
        querystring: strict(PageQuery),
        response: { 200: Page(FileSchema) },
      },
    },
    async (request) =>
      listOwned(database.db, 'file', callerOf(request).organizationId, request.query, toWire),
  )

  server.get(
    '/v1/files/:id',
    {
      config: { access: 'files:read' },
      schema: {
        tags: ['Files'],
        operationId: 'readFile',
        summary: 'Read a file',
        params: strict({ id: IdSchema('file') }),
        response: { 200: FileSchema },
      },
    },
    async (request) =>
      toWire(await getOwned(database.db, 'file', request.params.id, callerOf(request).organizationId)),
  )

  server.delete(
    '/v1/files/:id',
    {
      config: { access: 'files:write' },
      schema: {
        tags: ['Files'],
        operationId: 'deleteFile',
        summary: 'Delete a file',
        description:
          'For its maker and administrators. Its bytes, its text and the documents that were made of it are deleted with it; a reading that is under way is ended, without an event.',
        params: strict({ id: IdSchema('file') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId, permissions } = callerOf(request)
      const { now } = request
      const seen = await getOwned(database.db, 'file', request.params.id, organizationId)
      if (seen.created_by !== actorId && !permissions.has('files:all'))
        throw new ApiError('FORBIDDEN', { reason: 'not_yours' })
      await database.tx(async (tx) => {
        // The job is locked before the file, in the same order as the end of a job.
        if (seen.job_id !== null) await jobs.cancel(tx, organizationId, seen.job_id, now)
        const row = await tx
          .deleteFrom('file')
          .where('id', '=', seen.id)
          .where('organization_id', '=', organizationId)
          .returningAll()
          .executeTakeFirst()
        if (row === undefined) throw notFound('id', seen.id)
        // A new processing began after the file was read.
        if (row.job_id !== null && row.job_id !== seen.job_id)
          await jobs.cancel(tx, organizationId, row.job_id, now)
        // Before the credits, which are locked last everywhere.
        await onDeleted?.(tx, organizationId, row.id, now)
        await blobs.drop(tx, row.blob_id, now)
        if (row.text_blob_id !== null) await blobs.drop(tx, row.text_blob_id, now)
        if (row.reservation !== null) await charge.release(tx, JSON.parse(row.reservation), now)
        await audit(tx, trailOf(request), {
          action: 'file.deleted',
          organizationId,
          actorId,
          targetId: row.id,
          details: { name: row.name },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
