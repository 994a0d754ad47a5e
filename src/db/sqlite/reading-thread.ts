import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { lowerThreadPriority, serveQuestions } from '../../core/thread.ts'
import { createNearest, type Near, type WithVector } from '../engine/reader.ts'

/** A read of the thread. */
export interface Question {
  sql: string
  parameters: SQLInputValue[]
  /** Set to return only the nearest of rows with vectors. */
  nearest?: { to: Float32Array; limit: number } | undefined
}

/** Runs in a worker thread (`reader.ts`): reads that would block the event loop. */
const { file, patience } = workerData as { file: string; patience: number }
lowerThreadPriority()
const connection = new DatabaseSync(file, { timeout: patience, readOnly: true })
connection.exec('pragma cache_size=-16000; pragma temp_store=memory')

function read({ sql, parameters, nearest }: Question): object[] | Near[] {
  const statement = connection.prepare(sql)
  if (nearest === undefined) return statement.all(...parameters)
  const kept = createNearest(nearest.to, nearest.limit)
  for (const row of statement.iterate(...parameters)) kept.offer(row as unknown as WithVector)
  return kept.take()
}

serveQuestions(read)
