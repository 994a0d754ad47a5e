import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Resolve } from '../net/destination.ts'
import type { Bytes } from './bytes.ts'
import { folderBytes } from './folder.ts'
import { s3Bytes } from './s3.ts'

/** Opens the storage of files: `BLOBS_URL`, or a folder beside the database. */
export function openBytes(
  { store, blobs }: Pick<Config, 'store' | 'blobs'>,
  deps: { clock: Clock; resolve: Resolve },
): Bytes {
  return blobs.s3 === undefined ? folderBytes(folderOf(store)) : s3Bytes(blobs.s3, deps)
}

/** The folder without `BLOBS_URL`. */
export function folderOf({ dataDir }: Pick<Config['store'], 'dataDir'>): string {
  return join(dataDir, 'blobs')
}
