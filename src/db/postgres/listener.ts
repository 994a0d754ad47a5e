import type pg from 'pg'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Listener } from '../engine/engine.ts'
import type { Hosts } from './hosts.ts'

/** The backoff after a lost connection: it doubles from the first to the longest wait. */
const FIRST_WAIT: Millis = 100
const LONGEST_WAIT: Millis = 5 * SECOND

/**
 * Listens on a channel of PostgreSQL, with a separate connection that is reopened after a loss. Behind a transaction pooler it does not
 * listen, because the session may be given to other clients. Resolves after the first attempt, also where it failed.
 * @returns stops listening
 */
export async function listen(
  hosts: Hosts,
  channel: string,
  { clock, onText, onListening, onError }: Listener & { clock: Clock; onError: (error: Error) => void },
): Promise<() => Promise<void>> {
  let isOver = false
  let isWaiting = false
  let wait = FIRST_WAIT
  let client: pg.Client | undefined
  let cancel = () => {}

  async function open(): Promise<void> {
    cancel = () => {}
    isWaiting = false
    try {
      const { client: opened, isOwn } = await hosts.connect({ application_name: 'postern listener' })
      client = opened
      if (isOver || !isOwn) {
        await opened.end()
        return
      }
      opened.on('notification', ({ payload }) => onText(payload ?? ''))
      await opened.query(`listen ${channel}`)
      wait = FIRST_WAIT
      opened.once('end', () => lost(new Error('the connection that hears of other processes was lost')))
      onListening()
    } catch (error) {
      void client?.end().catch(() => {})
      lost(error as Error)
    }
  }

  function lost(error: Error): void {
    if (isOver) return
    onError(error)
    isWaiting = true
    cancel = clock.after(wait, () => void open())
    wait = Math.min(wait * 2, LONGEST_WAIT)
  }

  // All processes notify at the host in use, so the listener must reconnect to it.
  hosts.onChange(() => {
    if (!isWaiting) return
    cancel()
    void open()
  })
  await open()
  return async () => {
    isOver = true
    isWaiting = false
    cancel()
    await client?.end().catch(() => {})
  }
}
