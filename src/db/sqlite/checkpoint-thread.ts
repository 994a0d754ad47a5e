import { fsyncSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointResult } from './checkpoints.ts'
import { isBusy, isFlushFailure } from './errors.ts'

/** Runs in a thread of its own (`checkpoints.ts`): moves the log into the database with each message. */
const { file, descriptor } = workerData as { file: string; descriptor: number }
const connection = new DatabaseSync(file, { timeout: 0 })
connection.exec('pragma synchronous=full; pragma fullfsync=on; pragma checkpoint_fullfsync=on')
const move = connection.prepare('pragma wal_checkpoint(passive)')

/** SQLite flushes only when the whole log was moved; what comes then, while commits rest, must have little to flush. */
function flush(): CheckpointResult {
  try {
    fsyncSync(descriptor)
    return {}
  } catch (error) {
    return { failure: (error as Error).message, isLost: true }
  }
}

function moveAndFlush(): CheckpointResult {
  try {
    move.get()
  } catch (error) {
    if (isFlushFailure(error)) return { failure: (error as Error).message, isLost: true }
    // Another process at the same work; or a full disk: it is tried again after the next commit.
    return isBusy(error) ? {} : { failure: (error as Error).message }
  }
  return flush()
}

parentPort?.on('message', () => parentPort?.postMessage(moveAndFlush()))
// For the next process, after a kill as well: types that a thread has to strip itself cost it 15 MB.
flushCompileCache()
