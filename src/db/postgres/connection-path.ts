import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type Millis, pause, SECOND } from '../../core/clock.ts'
import { createHosts } from './hosts.ts'

/** The longest wait for a notification. */
const PATIENCE: Millis = 2 * SECOND

/** The path of the connections to PostgreSQL. */
export interface ConnectionPath {
  /** Whether a transaction pooler is in between. */
  isPooled: boolean
  /** Whether notifications arrive. */
  isNotified: boolean
}

/**
 * Detects a pooler, and tests whether a notification arrives.
 * @param directUrl the address for listening; the same as `databaseUrl` where no other is set
 * @throws the driver's error when one of the two cannot be reached
 */
export async function inspectConnectionPath(databaseUrl: string, directUrl: string): Promise<ConnectionPath> {
  const clients: pg.Client[] = []
  const open = async (url: string) => {
    const opened = await createHosts(url).connect({ query_timeout: 5 * SECOND })
    clients.push(opened.client)
    return opened
  }
  try {
    const sender = await open(databaseUrl)
    const listener = await open(directUrl)
    const isPooled = !sender.isOwn
    if (isPooled && directUrl === databaseUrl) return { isPooled, isNotified: false }
    return { isPooled, isNotified: await isNotified(sender.client, listener.client) }
  } finally {
    for (const client of clients) await client.end().catch(() => {})
  }
}

async function isNotified(sender: pg.Client, listener: pg.Client): Promise<boolean> {
  const text = randomUUID()
  const arrived = new Promise<boolean>((resolve) => {
    listener.on('notification', ({ payload }) => {
      if (payload === text) resolve(true)
    })
  })
  await listener.query('listen postern_doctor')
  await sender.query('select pg_notify($1, $2)', ['postern_doctor', text])
  const answer = await Promise.race([arrived, pause(PATIENCE).then(() => false)])
  await listener.query('unlisten postern_doctor')
  return answer
}
