import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock, Millis } from '../core/clock.ts'
import { runForOwner } from '../core/context.ts'
import { type Id, newId } from '../core/id.ts'
import { createLoop } from '../core/loop.ts'
import { afterCommit, type Database, type Tx } from '../db/database.ts'
import type { Resolve } from '../net/destination.ts'
import { abandonBlob, beginBlob, dropBlob, keepBlob, type PendingBlob } from './blob-row.ts'
import type { Bytes, Range } from './bytes.ts'
import { openBytes } from './open-bytes.ts'
import { removeEach, sweepBlobs } from './sweep.ts'

const EVERY: Millis = 60_000

/** Bytes beside the database, each with a row in it: no row is without its bytes, and no bytes stay without a row. */
export interface Blobs {
  /** Writes the bytes of `source`. They stay only if `keep` is committed within the hour. @throws as `Bytes.write` does */
  write(
    organizationId: Id<'organization'>,
    source: AsyncIterable<Uint8Array>,
    most: number,
  ): Promise<PendingBlob>
  /** As `keepBlob`. */
  keep(tx: Tx, blob: PendingBlob, most: number | null, now: Millis): Promise<void>
  /** Removes written bytes that will not be kept. */
  abandon(blob: Pick<PendingBlob, 'id'>): Promise<void>
  /** As `dropBlob`; the bytes go soon after the commit. */
  drop(tx: Tx, id: Id<'blob'>, now: Millis): Promise<void>
  /** @throws MissingBytesError */
  read(id: Id<'blob'>, range?: Range): Promise<AsyncIterable<Uint8Array>>
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

/** Ties the room together; nothing runs yet. */
export function createBlobs({ config, clock, log, database, resolve }: BlobsDeps): Blobs {
  const bytes: Bytes = openBytes(config, { clock, resolve })
  const sweep = createLoop({
    clock,
    log,
    name: 'sweep of blobs',
    every: EVERY,
    run: (isOver) => sweepBlobs({ database: database.background, bytes, now: clock.now() }, isOver),
  })

  async function abandon({ id }: Pick<PendingBlob, 'id'>): Promise<void> {
    await database.tx((tx) => abandonBlob(tx, id, clock.now()))
    await removeEach({ database, bytes }, [{ id }], (error) => {
      throw error
    })
  }

  return {
    async write(organizationId, source, most) {
      const now = clock.now()
      const id = newId('blob', now)
      // At the same time: `after` holds the end of the bytes back until the row is committed, in its own transaction.
      const begun = runForOwner(organizationId, () =>
        database.brief((tx) => beginBlob(tx, { id, organizationId }, now)),
      )
      const written = bytes.write(id, after(source, begun), most)
      const [row, all] = await Promise.allSettled([begun, written])
      if (row.status === 'rejected') throw row.reason
      if (all.status === 'fulfilled') return { id, organizationId, ...all.value }
      // The sweep removes it where this fails.
      await abandon({ id }).catch((error: unknown) => log.error({ err: error }, 'blob not removed'))
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

/** The bytes of `source`; their end comes only when `first` is done. */
async function* after(
  source: AsyncIterable<Uint8Array>,
  first: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* source
  await first
}
