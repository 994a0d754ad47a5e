import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { heapLimits } from '../../core/heap-limits.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'

/** Pages in the log at which a checkpoint begins: a few megabytes. */
const BEGIN_AT = 1_000
/** With this many pages or fewer, commits wait for the checkpoint, which takes no longer than a commit. */
const FEW = 200
/** Pages at which the writing connection makes a checkpoint itself, where the thread is too slow or cannot run: 64 MB. */
const AUTOCHECKPOINT = 16_000

/** Makes checkpoints: moves committed pages from the log (WAL) into the database. */
interface Checkpoints {
  /** @returns a promise that the next commit should await; undefined without one */
  afterCommit(): Promise<void> | undefined
  close(): Promise<void>
}

interface CheckpointDeps {
  file: string
  /** Opens the file once. The descriptor must stay open, because closing any descriptor of the file releases SQLite's locks. */
  openDescriptor: () => number
  /** Called when the disk failed to store moved pages. */
  onBroken: (error: Error) => void
  /** Called with an error after which the checkpoint is retried. */
  onTrouble: (error: Error) => void
}

/** The result of a checkpoint. */
export interface CheckpointResult {
  /** The error; undefined after a success. */
  failure?: string
  /** Set where the file could not be flushed: SQLite would count lost pages as moved. */
  isLost?: boolean
}

/**
 * A checkpoint writes and flushes thousands of pages, so a thread makes it concurrently with commits. The log only restarts when all of
 * it was moved, so commits wait while the last few pages, written during the checkpoint, are moved. The thread starts with the first
 * full log; an idle server has none.
 */
export function createCheckpoints(
  writer: DatabaseSync,
  { file, openDescriptor, onBroken, onTrouble }: CheckpointDeps,
): Checkpoints {
  writer.exec(`pragma wal_autocheckpoint=${AUTOCHECKPOINT}`)
  const state = writer.prepare('pragma wal_checkpoint(noop)')
  let thread: Worker | undefined
  let isBroken = false
  /** Resolves the current checkpoint. */
  let moved: (() => void) | undefined

  function start(): Worker {
    const worker = new Worker(new URL(`./checkpoint-thread${MODULE_EXTENSION}`, import.meta.url), {
      workerData: { file, descriptor: openDescriptor() },
      resourceLimits: heapLimits(),
    })
    worker.on('message', ({ failure, isLost = false }: CheckpointResult) => {
      const say = isLost ? onBroken : onTrouble
      if (failure !== undefined) say(new Error(`the log could not be moved into the database: ${failure}`))
      end()
    })
    // From now on the writing connection makes the checkpoints.
    worker.on('error', (error: Error) => {
      isBroken = true
      onTrouble(new Error('the thread that moves the log into the database has ended', { cause: error }))
      end()
    })
    return worker
  }

  function end(): void {
    // Between checkpoints the thread does not keep the process alive.
    thread?.unref()
    moved?.()
    moved = undefined
  }

  function move(): Promise<void> | undefined {
    const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
    if (log < BEGIN_AT || log === checkpointed) return undefined
    thread ??= start()
    const done = new Promise<void>((resolve) => {
      moved = resolve
    })
    thread.ref()
    thread.postMessage('move')
    return log - checkpointed <= FEW ? done : undefined
  }

  return {
    afterCommit() {
      if (moved !== undefined || isBroken) return undefined
      try {
        return move()
      } catch (error) {
        // The commit is durable; the next one triggers another attempt.
        onTrouble(new Error('the log of the database cannot be looked at', { cause: error }))
        return undefined
      }
    },
    async close() {
      end()
      await thread?.terminate()
    },
  }
}
