import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type Millis, pause, SECOND } from '../../core/clock.ts'
import { createHosts } from './hosts.ts'

/** A notification that takes longer does not come. */
const PATIENCE: Millis = 2 * SECOND

/** How the connections of a process reach PostgreSQL. */
export interface ConnectionPath {
  /** Whether a pooler in between gives sessions of the server to other clients after a transaction. */
  isPooled: boolean
  /** Whether a process that listens hears what the others tell. */
  isNotified: boolean
}

/**
 * Finds out which way the connections go, and tries whether a notification arrives.
 * @param directUrl what listens; the same as `databaseUrl` where nothing else is set
 * @throws the driver's own error when one of the two cannot be reached
 */
export async function inspectConnectionPath(databaseUrl: string, directUrl: string): Promise<ConnectionPath> {
  const clients: pg.Client[] = []
  const open = async (url: string) => {
    const opened = await createHosts(url).connect({ query_timeout: 5 * SECOND })
    clients.push(opened.client)
    return opened
  }
  try {
    const telling = await open(databaseUrl)
    const listening = await open(directUrl)
    const isPooled = !telling.isOwn
    if (isPooled && directUrl === databaseUrl) return { isPooled, isNotified: false }
    return { isPooled, isNotified: await isNotified(telling.client, listening.client) }
  } finally {
    for (const client of clients) await client.end().catch(() => {})
  }
}

async function isNotified(telling: pg.Client, listening: pg.Client): Promise<boolean> {
  const text = randomUUID()
  const arrived = new Promise<boolean>((resolve) => {
    listening.on('notification', ({ payload }) => {
      if (payload === text) resolve(true)
    })
  })
  await listening.query('listen postern_doctor')
  await telling.query('select pg_notify($1, $2)', ['postern_doctor', text])
  const answer = await Promise.race([arrived, pause(PATIENCE).then(() => false)])
  await listening.query('unlisten postern_doctor')
  return answer
}
