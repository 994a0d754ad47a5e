import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterWait } from '../../http/schema/prefer-wait.ts'
import type { Static } from '../../http/schema/type.ts'
import type { FileDeps } from '../deps.ts'
import { type FileRow, type FileSchema, toWire } from '../file-wire.ts'

/** @returns the file after the end of its processing, or after `wait` */
export async function waitForFile(
  deps: Pick<FileDeps, 'database' | 'jobs'>,
  request: FastifyRequest,
  file: Static<typeof FileSchema>,
  wait: Millis,
): Promise<Static<typeof FileSchema>> {
  if (wait === 0 || file.status !== 'processing') return file
  const row = await waitForFileRow(deps, request, file.id as Id<'file'>, wait)
  return row === undefined ? file : toWire(row)
}

/** @returns the row after the end of its processing, or after `wait`; undefined where it was deleted, or cannot be read */
export function waitForFileRow(
  { database, jobs }: Pick<FileDeps, 'database' | 'jobs'>,
  request: FastifyRequest,
  id: Id<'file'>,
  wait: Millis,
): Promise<FileRow | undefined> {
  const read = () => database.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirst()
  return afterWait(request, async () => {
    const row = await read()
    if (wait === 0 || row?.status !== 'processing' || row.job_id === null) return row
    await jobs.ended(row.job_id, wait)
    return read()
  })
}
