import type { SQLInputValue } from 'node:sqlite'
import type { CompiledQuery } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { createSemaphore } from '../../core/fair-limiter.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createThread } from '../../core/thread.ts'
import type { Near, Reader } from '../engine/reader.ts'
import type { Question } from './reading-thread.ts'

/** Threads, at most; each starts when those before it are busy. */
const MOST_THREADS = 2
const HEAP_MB = 128
/** A limit that selects all rows. */
const ALL = Number.MAX_SAFE_INTEGER

/** Reads in threads with their own connections. They start on demand. */
export function createReader({ file, patience }: { file: string; patience: Millis }): Reader & {
  close(): Promise<void>
} {
  const threads = Array.from({ length: MOST_THREADS }, () =>
    createThread<Question, object[]>(new URL(`./reading-thread${MODULE_EXTENSION}`, import.meta.url), {
      heapMb: HEAP_MB,
      workerData: { file, patience },
    }),
  )
  /** Idle threads, in the order of their starts. */
  const idle = new Set(threads)
  const places = createSemaphore(MOST_THREADS)
  const closing = new AbortController()

  async function ask({ sql, parameters }: CompiledQuery, nearest?: Question['nearest']): Promise<object[]> {
    const leave = await places.enter(undefined, closing.signal)
    const thread = threads.find((one) => idle.has(one)) as (typeof threads)[number]
    idle.delete(thread)
    try {
      return await thread.ask({ sql, parameters: parameters as SQLInputValue[], nearest })
    } finally {
      idle.add(thread)
      leave()
    }
  }

  return {
    atOnce: MOST_THREADS,
    rows: async <Row>(query: CompiledQuery<Row>) => (await ask(query)) as Row[],
    nearest: async (page, to, limit) => (await ask(page(0, ALL), { to, limit })) as Near[],
    async close() {
      closing.abort(new Error('the database is closed'))
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
