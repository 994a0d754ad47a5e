import type { SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { createSemaphore } from '../../core/fair-limiter.ts'
import type { Near, Reader } from '../engine/reader.ts'
import type { Answer, Question } from './reading-thread.ts'

/** Threads at most; each is started when those before it are busy. */
const MOST_THREADS = 2
/** More rows than there can be. */
const ALL = Number.MAX_SAFE_INTEGER

interface Thread {
  worker: Worker
  /** What it is working on; undefined: nothing. */
  current: Task | undefined
}

interface Task {
  resolve: (rows: object[]) => void
  reject: (error: Error) => void
}

/** Reads in threads with connections of their own. A process that never asks for much has none. */
export function createReader({ file, patience }: { file: string; patience: Millis }): Reader & {
  close(): Promise<void>
} {
  const threads = new Set<Thread>()
  const places = createSemaphore(MOST_THREADS)
  const closing = new AbortController()

  function start(): Thread {
    const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
      workerData: { file, patience },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
    })
    const thread: Thread = { worker, current: undefined }
    threads.add(thread)
    worker.on('message', (answer: Answer) => {
      const { current } = thread
      thread.current = undefined
      // Between questions it keeps nobody alive.
      worker.unref()
      if ('rows' in answer) current?.resolve(answer.rows)
      else current?.reject(new Error(answer.failure))
    })
    // The next question begins another one.
    worker.on('error', (cause: Error) => {
      threads.delete(thread)
      thread.current?.reject(new Error('the thread that reads has ended', { cause }))
    })
    return thread
  }

  async function ask({ sql, parameters }: CompiledQuery, nearest?: Question['nearest']): Promise<object[]> {
    const leave = await places.enter(undefined, closing.signal)
    try {
      const thread = [...threads].find(({ current }) => current === undefined) ?? start()
      const question = { sql, parameters: parameters as SQLInputValue[], nearest }
      return await new Promise((resolve, reject) => {
        thread.current = { resolve, reject }
        thread.worker.ref()
        thread.worker.postMessage(question)
      })
    } finally {
      leave()
    }
  }

  return {
    atOnce: MOST_THREADS,
    rows: async <Row>(query: CompiledQuery<Row>) => (await ask(query)) as Row[],
    nearest: async (page, to, limit) => (await ask(page(0, ALL), { to, limit })) as Near[],
    async close() {
      closing.abort(new Error('the database is closed'))
      await Promise.all(
        [...threads].map(({ worker, current }) => {
          current?.reject(closing.signal.reason)
          return worker.terminate()
        }),
      )
    },
  }
}
