import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { heapLimits } from '../../core/heap-limits.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'

/** Pages in the log from which on they are moved into the database: a few megabytes. */
const BEGIN_AT = 1_000
/** So few are moved while commits rest: it takes no longer than a commit. */
const FEW = 200
/** Where the thread cannot keep up, or cannot run, the connection that commits moves them itself: 64 MB. */
const AUTOCHECKPOINT = 16_000

/** Moves what has been committed from the log (WAL) into the database. */
interface Checkpoints {
  /** @returns what the next commit should wait for; undefined for nothing */
  afterCommit(): Promise<void> | undefined
  close(): Promise<void>
}

interface CheckpointDeps {
  file: string
  /** Opens the file once. Closing any descriptor of it would take SQLite's locks away: it must outlive them. */
  openDescriptor: () => number
  /** Called when the disk did not take what was moved. */
  onBroken: (error: Error) => void
  /** Called with an error after which the move is tried again. */
  onTrouble: (error: Error) => void
}

/** What the thread says of a move. */
export interface CheckpointResult {
  /** Why it did not take place; undefined when it did. */
  failure?: string
  /** Set where the file could not be flushed: SQLite would take what was lost for moved. */
  isLost?: boolean
}

/**
 * A checkpoint writes and flushes thousands of pages, so a thread of its own makes it beside the commits. The log begins anew only
 * when all of it was moved, so commits wait while the last few pages, written during the checkpoint, are moved. The thread starts
 * with the first full log; a quiet server has none.
 */
export function createCheckpoints(
  writer: DatabaseSync,
  { file, openDescriptor, onBroken, onTrouble }: CheckpointDeps,
): Checkpoints {
  writer.exec(`pragma wal_autocheckpoint=${AUTOCHECKPOINT}`)
  const state = writer.prepare('pragma wal_checkpoint(noop)')
  let thread: Worker | undefined
  let isBroken = false
  /** Ends the move under way. */
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
    // Only the work is lost: the backstop does it.
    worker.on('error', (error: Error) => {
      isBroken = true
      onTrouble(new Error('the thread that moves the log into the database has ended', { cause: error }))
      end()
    })
    return worker
  }

  function end(): void {
    // Between moves it does not keep the process alive.
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
        // The commit stands; the log is looked at again after the next one.
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
