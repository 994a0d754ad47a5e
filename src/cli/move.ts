import { resolve } from 'node:path'
import { move, placeOf } from '../backups/move.ts'
import { folderOf } from '../blobs/open-storage.ts'
import { type Config, readConfig } from '../config/config.ts'
import { isDatabaseUrl } from '../config/database-url.ts'
import { stopwatch, systemClock } from '../core/clock.ts'
import { FullDiskError, fullDiskMessage } from '../core/disk.ts'
import { findFolderProblem as findFolderTrouble } from '../core/folder.ts'
import { OccupiedError, openTarget } from '../db/copy-rows.ts'
import { explainFailure } from '../store/explain-failure.ts'
import { findMasterKey, keyFile } from '../store/key-file.ts'
import { hasStore } from '../store/open-store.ts'
import { type Command, UsageError } from './terminal/terminal.ts'
import { whyNotWritable } from './why-not-writable.ts'
import { noStore } from './with-store.ts'

type Store = Config['store']

/** `postern move`: copies all rows from one engine to the other. */
export const moveCommand: Command = {
  about: 'Moves everything to PostgreSQL, or back into an embedded database. Stop Postern first.',
  usage: 'postern move --to postgres://…|sqlite:FOLDER',
  options: {
    to: {
      type: 'string',
      about: 'An empty database: the address of a PostgreSQL database, or the folder of an embedded one.',
    },
  },
  async run(terminal, options) {
    const config = readConfig(terminal.env)
    const from = config.store
    const to = readTarget(options.to, from)
    if (!hasStore(from)) {
      terminal.complain(noStore(from))
      return 1
    }
    const trouble = await findFolderProblem(to)
    if (trouble !== undefined) {
      terminal.complain(trouble)
      return 1
    }
    const elapsed = stopwatch()
    const tables: Record<string, number> = {}
    let rows = 0
    try {
      rows = await move(from, to, {
        ...{ clock: systemClock, say: terminal.complain },
        onTable({ table, rows, isEarlier }) {
          tables[table] = rows
          if (rows > 0)
            terminal.print(`  ${table}: ${rows} rows, digests are equal${isEarlier ? ' (before)' : ''}`)
        },
        onIndexed: (chunks) => terminal.print(`  texts for searches: ${chunks} passages indexed`),
      })
    } catch (error) {
      if (error instanceof FullDiskError) {
        terminal.complain(
          `${fullDiskMessage(error.file, 'name another --to')} No server starts on a part; in its place repeat the same move, which goes on with what is there.`,
        )
        return 1
      }
      if (!(error instanceof OccupiedError)) throw error
      terminal.complain(
        `${placeOf(to)} is not empty: ${error.message}. Nothing was written there; name an empty one.`,
      )
      return 1
    }
    const durationMs = Math.round(elapsed())
    terminal.print(`Moved ${rows} rows of ${Object.keys(tables).length} tables to ${placeOf(to)}.`)
    for (const line of whatIsNext(config, to)) terminal.print(line)
    terminal.answer({ rows, tables, to: placeOf(to), durationMs })
    return 0
  },
}

/** Why the target of `--to` cannot be used; undefined where it can. */
async function findFolderProblem(to: Store): Promise<string | undefined> {
  if (to.databaseUrl === undefined)
    return findFolderTrouble(to.dataDir, '--to') ?? whyNotWritable(to.dataDir, '--to')
  try {
    await (await openTarget(to)).close()
    return undefined
  } catch (error) {
    return explainFailure(error, '--to').join('\n')
  }
}

/** @throws UsageError */
function readTarget(text: unknown, { dataDir, databaseUrl, ...others }: Store): Store {
  const target = String(text ?? '')
  if (target.startsWith('sqlite:')) {
    const folder = target.slice('sqlite:'.length)
    if (folder === '') throw new UsageError('--to sqlite:FOLDER must name a folder.')
    if (databaseUrl === undefined && resolve(folder) === dataDir)
      throw new UsageError('--to is where everything is already.')
    return { ...others, dataDir: resolve(folder), databaseUrl: undefined, databaseDirectUrl: undefined }
  }
  if (!isDatabaseUrl(target)) throw new UsageError('--to must be postgres://… or sqlite:FOLDER.')
  if (target === databaseUrl) throw new UsageError('--to is where everything is already.')
  return { ...others, dataDir, databaseUrl: target, databaseDirectUrl: undefined }
}

function keyIsNext(to: Store): string[] {
  if (to.secretKey !== undefined) return ['Keep SECRET_KEY as it is: it is not written down anywhere.']
  if (findMasterKey(to) !== undefined) return []
  return [`These settings have no key: put it into ${keyFile(to)}, or set SECRET_KEY, before you start.`]
}

function whatIsNext({ store: from, blobs }: Config, to: Store): string[] {
  const isNearby = from.dataDir === to.dataDir
  return [
    to.databaseUrl === undefined
      ? `Unset DATABASE_URL, set DATA_DIR to ${to.dataDir}, then start.`
      : 'Set DATABASE_URL to it, then start with the same DATA_DIR and key.',
    ...keyIsNext(to),
    ...(blobs.s3 !== undefined
      ? ['The bytes of files stay where BLOBS_URL says.']
      : isNearby
        ? [
            `The bytes of files stay in ${folderOf(from)}. Before a second process runs elsewhere, copy them to a storage and set BLOBS_URL.`,
          ]
        : [`The bytes of files are in ${folderOf(from)} still: move that folder to ${folderOf(to)}.`]),
    'What was left behind is no longer served; remove it when you need it no more.',
  ]
}
