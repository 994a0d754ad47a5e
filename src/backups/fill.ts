import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { copyRows, openTarget } from '../db/copy-rows.ts'
import { type Database, explainStoreError, openDatabase, SCHEMA_VERSION } from '../db/database.ts'
import type { RowSource } from '../db/rows/source-target.ts'
import { rebuildTextIndex } from '../knowledge/indexing/rebuild-text-index.ts'
import { MOVED_TO, replaceFacts } from '../store/facts.ts'

/** Progress messages of a fill. */
export interface Watching {
  clock: Clock
  /** Called with migrations and connection errors. */
  say: (line: string) => void
  /** Called after each table. @param isEarlier whether an earlier run has written it */
  onTable: (table: { table: string; rows: number; isEarlier: boolean }) => void
  /** Called with the number of indexed chunks. */
  onIndexed: (chunks: number) => void
}

export interface Filling extends Watching {
  /** The command, such as `postern move`, for messages. */
  command: string
}

/** Facts that are not copied, because they concern the source alone. */
const OF_A_PLACE: ReadonlySet<string> = new Set([MOVED_TO])

/**
 * Copies all rows of `source` into an empty place (`requireEmptyTarget`). A start refuses the place until the copy has ended; a second call
 * continues an interrupted copy. If the source has an older schema, the rows are copied before the later steps of the schema.
 * @param schema the version of the source's schema
 * @param present called after all tables are copied; it may renew the snapshot of the source, with which all tables are compared
 * @param onFilled called after the comparison, before a server may start on the place
 * @returns the number of rows
 * @throws OccupiedError, MismatchError, Error in plain words where a server runs, or the engines' own errors
 */
export async function fill(
  source: RowSource,
  place: Config['store'],
  { clock, command, say, onTable, onIndexed }: Filling,
  {
    schema = SCHEMA_VERSION,
    present = async () => {},
    onFilled = async () => {},
  }: {
    schema?: number
    present?: () => Promise<void>
    onFilled?: (database: Database) => Promise<void>
  },
): Promise<number> {
  let rows = 0
  const inDatabase = async (upTo: number, work: (database: Database) => Promise<void>) => {
    const database = await openDatabase({
      ...{ ...place, clock, isFilled: true, upTo },
      report: (step) => say(`migrating: ${step}`),
      onConnectionError: ({ message }) => say(message),
    })
    try {
      await database.claimAlone(command)
      await work(database)
    } catch (error) {
      throw explainStoreError(error, place)
    } finally {
      await database.close()
    }
  }
  await inDatabase(schema, async () => {
    const target = await openTarget(place)
    try {
      rows = await copyRows(source, target, { present, report: onTable })
    } finally {
      await target.close()
    }
  })
  await inDatabase(SCHEMA_VERSION, async (database) => {
    await rebuildTextIndex(database, onIndexed)
    await replaceFacts(database, source.facts, OF_A_PLACE)
    await onFilled(database)
    const target = await openTarget(place)
    try {
      await target.conclude()
    } finally {
      await target.close()
    }
  })
  return rows
}
