import { availableParallelism } from 'node:os'
import { integer } from './values.ts'

/** PostgreSQL accepts 100 connections by default; 20 remain for other programs. */
const CONNECTIONS = 80
/** The share of cores for workers: PostgreSQL needs about half the processor time of Postern for a delivery (docs/scaling.md). */
const SHARE_OF_CORES = 2 / 3
const MOST = 64

export function workers(text: string): number | 'auto' {
  return text === 'auto' ? text : integer(1, MOST)(text)
}

/**
 * @param asked the value of `WORKERS`
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

/** The event loop, the sending thread, and readers and receivers beside them. */
const CORES_FOR_THREAD = 3

/**
 * @param asked the value of `SENDING_THREAD`
 * @param workers the processes that serve
 * @returns whether a thread of its own sends the deliveries of each process
 */
export function hasSendingThread(
  asked: 'auto' | 'on' | 'off',
  workers: number,
  cores: number = availableParallelism(),
): boolean {
  if (asked !== 'auto') return asked === 'on'
  return workers === 1 && cores >= CORES_FOR_THREAD
}
