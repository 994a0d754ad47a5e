import { workerData } from 'node:worker_threads'
import { CompiledQuery } from 'kysely'
import { lowerThreadPriority, serveQuestions } from '../../core/thread.ts'
import { BusyError } from '../engine/engine.ts'
import { createNearest, type Near, type Nearest } from '../engine/reader.ts'
import { createHosts } from './hosts.ts'
import { openPool } from './pool.ts'

/** The steps of a search: begin, read a page, take the result or drop the search. */
export type Question =
  | { is: 'begin'; to: Float32Array; limit: number }
  | { is: 'page'; key: number; sql: string; parameters: readonly unknown[] }
  | { is: 'take'; key: number }
  | { is: 'drop'; key: number }

/** The answers: the key of the search; the number of rows and the highest id of a page; the result; why the database was busy. */
export interface Answer {
  busy?: string
  key?: number
  count?: number
  last?: number
  near?: Near[]
}

/** Runs in a worker thread (`reader.ts`), because reading and comparing vectors would block the event loop. */
lowerThreadPriority()
const { databaseUrl } = workerData as { databaseUrl: string }
const pool = openPool(createHosts(databaseUrl), { name: 'vectors', size: 1, onConnectionError() {} })
const open = new Map<number, Nearest>()
let last = 0

async function readPage({ key, sql, parameters }: Extract<Question, { is: 'page' }>): Promise<Answer> {
  const kept = open.get(key)
  let [count, last] = [0, 0]
  await pool.copyOut(CompiledQuery.raw(sql, [...parameters]), ([id, vector]) => {
    const row = { id: Number(id?.readBigInt64BE()), vector: vector ?? null }
    kept?.offer(row)
    count += 1
    last = Math.max(last, row.id)
  })
  return { count, last }
}

/** A thrown error would arrive without its class. */
function busyAnswer(error: unknown): Answer {
  if (error instanceof BusyError) return { busy: error.message }
  throw error
}

serveQuestions<Question, Answer>((question) => {
  switch (question.is) {
    case 'begin':
      last += 1
      open.set(last, createNearest(question.to, question.limit))
      return { key: last }
    case 'page':
      return readPage(question).catch(busyAnswer)
    case 'take': {
      const near = open.get(question.key)?.take() ?? []
      open.delete(question.key)
      return { near }
    }
    case 'drop':
      open.delete(question.key)
      return {}
  }
})
