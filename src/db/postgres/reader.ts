import { hasWritten } from '../../core/context.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createThread } from '../../core/thread.ts'
import { BusyError } from '../engine/engine.ts'
import type { Db } from '../engine/handles.ts'
import type { Reader } from '../engine/reader.ts'
import type { Answer, Question } from './reading-thread.ts'

/** Concurrent reads, as the server has its own processors. */
const AT_ONCE = 4
/** Rows with vectors per read; other searches have their turn in between. */
const PAGE = 2_000
const HEAP_MB = 128

/** Reads by the server. Vectors are read and compared in a thread with its own connection. */
export function createReader(db: Db, databaseUrl: string): Reader & { close(): Promise<void> } {
  const thread = createThread<Question, Answer>(
    new URL(`./reading-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      heapMb: HEAP_MB,
      workerData: { databaseUrl },
    },
  )
  return {
    atOnce: AT_ONCE,
    rows: async (query) => (await db.executeQuery(query)).rows,
    async nearest(page, to, limit) {
      const { key = 0 } = await thread.ask({ is: 'begin', to, limit })
      try {
        for (let after = 0, count = PAGE; count === PAGE; ) {
          const { sql, parameters } = page(after, PAGE)
          const read = await thread.ask({ is: 'page', key, sql, parameters })
          if (read.busy !== undefined)
            throw new BusyError(read.busy, { isUsedUp: true, isUntouched: !hasWritten() })
          after = read.last ?? 0
          count = read.count ?? 0
        }
      } catch (error) {
        await thread.ask({ is: 'drop', key }).catch(() => {})
        throw error
      }
      return (await thread.ask({ is: 'take', key })).near ?? []
    },
    close: thread.close,
  }
}
