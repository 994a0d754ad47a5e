import { availableParallelism } from 'node:os'
import { integer } from './values.ts'

/** PostgreSQL takes 100 connections unless it is told otherwise, and others than the server need some. */
const CONNECTIONS = 80
/** A delivery costs PostgreSQL about half of what it costs Postern (docs/scaling.md). */
const SHARE_OF_CORES = 2 / 3
const MOST = 64

export function workers(text: string): number | 'auto' {
  return text === 'auto' ? text : integer(1, MOST)(text)
}

/**
 * @param asked as `WORKERS` has it
 * @param pool connections of each process
 * @returns how many processes serve on PostgreSQL
 */
export function countWorkers(
  asked: number | 'auto',
  pool: number,
  cores: number = availableParallelism(),
): number {
  if (asked !== 'auto') return asked
  return Math.max(1, Math.min(Math.floor(cores * SHARE_OF_CORES), Math.floor(CONNECTIONS / pool)))
}
