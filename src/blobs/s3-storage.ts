import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Config } from '../config/blobs-url.ts'
import type { Clock } from '../core/clock.ts'
import type { Resolve } from '../net/destination.ts'
import { type BlobStorage, MissingBlobError } from './blob-storage.ts'
import { piecesOf, writePart } from './folder-storage.ts'
import { createS3Client } from './s3-client.ts'

/** S3-compatible storage. */
export function s3Storage(
  config: S3Config,
  { clock, resolve }: { clock: Clock; resolve: Resolve },
): BlobStorage {
  const { place, ask, refused, close } = createS3Client(config, { clock, resolve, owner: 'blobs' })

  return {
    place,

    async write(name, source, most) {
      // S3 needs the length and digest before the bytes, which do not fit into memory.
      const file = join(tmpdir(), `postern-${randomUUID()}`)
      try {
        const { size, sha256 } = await writePart(file, source, most)
        const answer = await ask(name, {
          method: 'PUT',
          headers: { 'x-amz-content-sha256': sha256, 'content-length': String(size) },
          body: piecesOf(await open(file)),
        })
        if (answer.status !== 200) return await refused(answer, 'PUT')
        answer.discard()
        return { size, sha256 }
      } finally {
        await rm(file, { force: true })
      }
    },

    async read(name, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` }
      const answer = await ask(name, { method: 'GET', headers: headers as Record<string, string> })
      if (answer.status === 200 || answer.status === 206) return answer.body
      if (answer.status !== 404) return refused(answer, 'GET')
      answer.discard()
      throw new MissingBlobError(name)
    },

    async remove(name) {
      const answer = await ask(name, { method: 'DELETE' })
      if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404)
        return refused(answer, 'DELETE')
      answer.discard()
    },

    close,
  }
}
