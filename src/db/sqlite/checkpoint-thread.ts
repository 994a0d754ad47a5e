import { fsyncSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointResult } from './checkpoints.ts'
import { isBusy, isFlushFailure } from './errors.ts'

/** Runs in a worker thread (`checkpoints.ts`): makes a checkpoint at each message. */
const { file, descriptor } = workerData as { file: string; descriptor: number }
const connection = new DatabaseSync(file, { timeout: 0 })
connection.exec('pragma synchronous=full; pragma fullfsync=on; pragma checkpoint_fullfsync=on')
const move = connection.prepare('pragma wal_checkpoint(passive)')

/** Flushes the database. SQLite only flushes after the whole log was moved; commits wait during that last step, so it must be short. */
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
    // Another process makes a checkpoint, or the disk is full: the next commit triggers another attempt.
    return isBusy(error) ? {} : { failure: (error as Error).message }
  }
  return flush()
}

parentPort?.on('message', () => parentPort?.postMessage(moveAndFlush()))
// For the next process, also after a kill: stripping types in a thread takes 15 MB.
flushCompileCache()
