import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Resolve } from '../net/destination.ts'
import type { BlobStorage } from './blob-storage.ts'
import { folderStorage } from './folder-storage.ts'
import { s3Storage } from './s3-storage.ts'

/** Opens the storage of files: `BLOBS_URL`, or a folder beside the database. */
export function openStorage(
  { store, blobs }: Pick<Config, 'store' | 'blobs'>,
  deps: { clock: Clock; resolve: Resolve },
): BlobStorage {
  return blobs.s3 === undefined ? folderStorage(folderOf(store)) : s3Storage(blobs.s3, deps)
}

/** The folder that is used without `BLOBS_URL`. */
export function folderOf({ dataDir }: Pick<Config['store'], 'dataDir'>): string {
  return join(dataDir, 'blobs')
}
