import { after } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import { type EngineName, readyStore } from './store.ts'

/** An empty database of a suite, without a server on it; opened when it is first asked for, closed after the suite. */
export function useDatabase(engine: EngineName): () => Promise<Database> {
  let opened: Promise<Database> | undefined
  after(async () => (await opened)?.close())
  return () => {
    opened ??= readyStore(engine).then((env) =>
      openDatabase({ ...readConfig(env).store, clock: systemClock, report() {}, onConnectionError() {} }),
    )
    return opened
  }
}
