import { fsyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** Runs in a thread of its own (`checkpoints.ts`): moves the log into the database each time it is told. */
const { file, descriptor } = workerData as { file: string; descriptor: number }
const connection = new DatabaseSync(file, { timeout: 0 })
connection.exec('pragma synchronous=full')
const move = connection.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => {
  try {
    move.get()
    // SQLite flushes only when the whole log was moved; what comes then, while commits rest, must have little to flush.
    fsyncSync(descriptor)
  } catch {
    // A full disk, or another process at the same work: it is tried again after the next commit.
  }
  parentPort?.postMessage('moved')
})
