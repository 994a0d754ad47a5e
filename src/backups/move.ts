import type { Config } from '../config/config.ts'
import { hostsOf } from '../config/database-url.ts'
import { openSource } from '../db/carry-rows.ts'
import { openDatabase } from '../db/database.ts'
import { keepFact, MOVED_TO } from '../store/facts.ts'
import { findFingerprint } from '../store/open-store.ts'
import { type Filling, fill } from './fill.ts'

type Store = Config['store']

/**
 * Moves all rows to another database, of either engine, while no server runs on either side; what they came from is then marked, and no
 * longer served.
 * @throws OccupiedError, MismatchError, Error in plain words where a server runs or nothing was ever begun
 */
export async function move(from: Store, to: Store, filling: Filling): Promise<void> {
  const source = await openDatabase({
    ...{ ...from, clock: filling.clock, schema: 'require' },
    report: (step) => filling.say(`migrating: ${step}`),
    onConnectionError: ({ message }) => filling.say(message),
  })
  try {
    await source.claimAlone()
    if ((await findFingerprint(source)) === undefined)
      throw new Error('No server was ever started on this database, so there is nothing to move.')
    const rows = await openSource(from)
    try {
      // Before the other one may be served: two that are served would both send.
      const onFilled = () => keepFact(source, MOVED_TO, placeOf(to))
      await fill(rows, to, filling, { onFilled })
    } finally {
      await rows.close()
    }
  } finally {
    await source.close()
  }
}

/** The place of a database, for people; without its user and password. */
export function placeOf({ dataDir, databaseUrl }: Pick<Store, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return dataDir
  const urls = hostsOf(databaseUrl).urls.map((url) => new URL(url))
  return `PostgreSQL at ${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`
}
