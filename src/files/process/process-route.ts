import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { readWait } from '../../http/schema/prefer-wait.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { Charset, mustBeCharset } from '../charset.ts'
import type { FileDeps } from '../deps.ts'
import { beginProcessing } from '../file-row.ts'
import { FileSchema, mustNotHaveFailed, toWire } from '../file-wire.ts'
import { waitForFileRow } from './wait-for-processing.ts'

/** `POST /v1/files/{id}/process`: reads a file again. */
export function processRoutes(
  server: Server,
  deps: Pick<FileDeps, 'charge' | 'database' | 'jobs' | 'once'>,
): void {
  server.post(
    '/v1/files/:id/process',
    {
      config: { access: 'files:write', once: true },
      schema: {
        tags: ['Files'],
        operationId: 'processFile',
        summary: 'Read the text of a file again',
        description:
          'During a reading no other one starts, and the `charset` of this request is not used. The earlier text stays until the new one replaces it. With `Prefer: wait=30` the answer is the outcome: 200 with the file, the code of the failure, or 202 if it takes longer.',
        params: strict({ id: IdSchema('file') }),
        querystring: strict({ charset: Type.Optional(Charset) }),
        response: { 200: FileSchema, 202: FileSchema },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { now } = request
      const wait = readWait(request, reply)
      const { charset: given } = request.query
      const charset = given === undefined ? undefined : mustBeCharset(given)
      // The idempotency key is bound to this value.
      if (charset !== undefined) request.body = { charset }
      const file = await deps.once(request, reply, async (tx) => {
        if ((await lockOrganization(tx, organizationId)) === undefined) throw new ApiError('UNAUTHORIZED', {})
        const row = await getOwned(tx, 'file', request.params.id, organizationId, lock)
        if (row.status === 'processing') return { status: 202, body: toWire(row) }
        const begun = {
          ...(await beginProcessing(tx, deps, row, now)),
          ...(charset !== undefined && { charset }),
        }
        await tx.updateTable('file').set(begun).where('id', '=', row.id).execute()
        noteChanges(tx, 'file', [row])
        return { status: 202, body: toWire({ ...row, ...begun }) }
      })
      if (wait === 0) return file
      const row = await waitForFileRow(deps, request, file.id as Id<'file'>, wait)
      if (row === undefined) return file
      mustNotHaveFailed(row)
      return reply.code(row.status === 'processing' ? 202 : 200).send(toWire(row))
    },
  )
}
