import type { Config } from '../config/config.ts'
import { hostsOf } from '../config/database-url.ts'
import { openVault } from '../core/secret.ts'
import { openSource, requireEmptyTarget } from '../db/copy-rows.ts'
import { type Database, openDatabase } from '../db/database.ts'
import type { LiveSource } from '../db/rows/source-target.ts'
import { endFact, findFact, MOVED_TO, markMoved } from '../store/facts.ts'
import { adoptNextKey, findMasterKey, keySource, placeKey } from '../store/key-file.ts'
import { findFingerprint, MovedError } from '../store/open-store.ts'
import { type Filling, fill, type Watching } from './fill.ts'

type Store = Config['store']

/**
 * Moves all rows to another database of either engine, while no server runs on either side. The source is then marked as moved and no
 * longer served. Every refusal precedes the first write to the target.
 * @returns the rows of the target, whose tables equal those of the source
 * @throws OccupiedError, MismatchError, MovedError; Error in plain words where a server runs, the keys
 * differ, or no server was ever started on the source
 */
export async function move(from: Store, to: Store, watching: Watching): Promise<number> {
  const filling: Filling = { ...watching, command: 'postern move' }
  const source = await openDatabase({
    ...{ ...from, clock: filling.clock, schema: 'exact' },
    report: (step) => filling.say(`migrating: ${step}`),
    onConnectionError: ({ message }) => filling.say(message),
  })
  try {
    await source.claimAlone(filling.command)
    const fingerprint = await findFingerprint(source)
    if (fingerprint === undefined)
      throw new Error('No server was ever started on this database, so there is nothing to move.')
    const rows = await openSource(from)
    try {
      const isBegun = await requireEmptyTarget(rows, to)
      const movedTo = await findFact(source.db, MOVED_TO)
      if (movedTo !== undefined && !(isBegun && movedTo === placeOf(to))) throw new MovedError(movedTo)
      takeKey(from, to, fingerprint)
      return await carry(rows, source, { to, filling, isMarked: movedTo !== undefined })
    } finally {
      await rows.close()
    }
  } finally {
    await source.close()
  }
}

/** Copies the rows, and marks the source before the comparison, so that no command writes to it any more. */
async function carry(
  rows: LiveSource,
  source: Database,
  { to, filling, isMarked }: { to: Store; filling: Filling; isMarked: boolean },
): Promise<number> {
  let hasMarked = false
  try {
    return await fill(rows, to, filling, {
      async present() {
        await markMoved(source, placeOf(to), () => rows.renew())
        hasMarked = true
      },
    })
  } catch (error) {
    // The mark stays where a server may run on the target already, or where that cannot be read.
    if (hasMarked && !isMarked && (await requireEmptyTarget(rows, to).catch(() => false)))
      await endFact(source, MOVED_TO)
    throw error
  }
}

/**
 * Checks that the key of the target is that of the source, and copies the key file where the target has none.
 * @throws Error in plain words
 */
function takeKey(from: Store, to: Store, fingerprint: string): void {
  adoptNextKey(from, fingerprint)
  const [own, there] = [findMasterKey(from), findMasterKey(to)]
  for (const [key, place] of [
    [own, from],
    [there, to],
  ] as const)
    if (key !== undefined && openVault(key).fingerprint !== fingerprint)
      throw new Error(
        `The key in ${keySource(place)} (fingerprint ${openVault(key).fingerprint}) is not the one of the database that is moved (fingerprint ${fingerprint}): ` +
          `${place === to ? 'name another folder, or take that file away' : 'set the key that its server runs with'}. Nothing was changed.`,
      )
  if (own !== undefined && there === undefined) placeKey(to, own)
}

/** The address of a database in messages, without user and password. */
export function placeOf({ dataDir, databaseUrl }: Pick<Store, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return dataDir
  const urls = hostsOf(databaseUrl).urls.map((url) => new URL(url))
  return `PostgreSQL at ${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`
}
