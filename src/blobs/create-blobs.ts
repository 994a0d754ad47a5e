import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock, Millis } from '../core/clock.ts'
import { runForOwner } from '../core/context.ts'
import { type Id, newId } from '../core/id.ts'
import { createLoop } from '../core/loop.ts'
import { afterCommit, type Database, type Tx } from '../db/database.ts'
import type { Resolve } from '../net/destination.ts'
import { abandonBlob, beginBlob, dropBlob, keepBlob, type PendingBlob } from './blob-row.ts'
import type { BlobStorage, ByteRange } from './blob-storage.ts'
import { openStorage } from './open-storage.ts'
import { removeEach, sweepBlobs } from './sweep.ts'

const EVERY: Millis = 60_000

/** Bytes outside of the database, each with a row in it: no row lacks its bytes, and no bytes stay without a row. */
export interface Blobs {
  /** Writes the bytes of `source`. They stay only if `keep` commits within an hour. @throws as `BlobStorage.write` */
  write(
    organizationId: Id<'organization'>,
    source: AsyncIterable<Uint8Array>,
    most: number,
  ): Promise<PendingBlob>
  /** As `keepBlob`. */
  keep(tx: Tx, blob: PendingBlob, most: number | null, now: Millis): Promise<void>
  /** Removes written bytes that will not be kept. */
  abandon(blob: Pick<PendingBlob, 'id'>): Promise<void>
  /** As `dropBlob`; the bytes are removed soon after the commit. */
  drop(tx: Tx, id: Id<'blob'>, now: Millis): Promise<void>
  /** @throws MissingBlobError */
  read(id: Id<'blob'>, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>
  start(): void
  stop(): Promise<void>
  close(): Promise<void>
}

interface BlobsDeps {
  config: Pick<Config, 'store' | 'blobs'>
  clock: Clock
  log: Logger
  database: Database
  resolve: Resolve
}

/** Creates the parts of the room; none runs yet. */
export function createBlobs({ config, clock, log, database, resolve }: BlobsDeps): Blobs {
  const bytes: BlobStorage = openStorage(config, { clock, resolve })
  const sweep = createLoop({
    clock,
    log,
    name: 'sweep of blobs',
    every: EVERY,
    run: (isOver) => sweepBlobs({ database: database.background, bytes, now: clock.now() }, isOver),
  })

  async function abandon({ id }: Pick<PendingBlob, 'id'>): Promise<void> {
    try {
      await database.tx((tx) => abandonBlob(tx, id, clock.now()))
      await removeEach({ database, bytes }, [{ id }], (error) => {
        throw error
      })
    } catch (error) {
      log.error({ err: error }, 'blob not removed')
    }
  }

  return {
    async write(organizationId, source, most) {
      const now = clock.now()
      const id = newId('blob', now)
      // In parallel: `after` delays the end of the bytes until the row is committed in its own transaction.
      const begun = runForOwner(organizationId, () =>
        database.brief((tx) => beginBlob(tx, { id, organizationId }, now)),
      )
      const written = bytes.write(id, after(source, begun), most)
      const [row, all] = await Promise.allSettled([begun, written])
      if (row.status === 'rejected') throw row.reason
      if (all.status === 'fulfilled') return { id, organizationId, ...all.value }
      await abandon({ id })
      throw all.reason
    },
    keep: keepBlob,
    abandon,
    async drop(tx, id, now) {
      await dropBlob(tx, id, now)
      afterCommit(tx, () => sweep.wake(1_000))
    },
    read: bytes.read,
    start: () => sweep.start(),
    stop: () => sweep.stop(),
    close: bytes.close,
  }
}

/** The bytes of `source`; the end is delayed until `first` has resolved. */
async function* after(
  source: AsyncIterable<Uint8Array>,
  first: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* source
  await first
}
