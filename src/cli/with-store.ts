import { localTrail, type Trail } from '../audit/audit.ts'
import { type Config, readConfig } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import type { Vault } from '../core/secret.ts'
import { type Database, type Db, explainStoreError } from '../db/database.ts'
import { createDispatch } from '../delivery/dispatch.ts'
import { createPublish, createPublishAll, type Publish } from '../delivery/publish/publish.ts'
import { createSubscriptions } from '../delivery/publish/subscriptions.ts'
import { addJob } from '../jobs/rows/row.ts'
import { createOutbox, type Outbox } from '../mail/outbox.ts'
import { timeOf } from '../store/clock-ahead.ts'
import { findFact, SERVED_AT, whileInPlace } from '../store/facts.ts'
import { hasStore, MovedError, openStore } from '../store/open-store.ts'
import type { Terminal } from './terminal/terminal.ts'

/** The open store and settings of a command. */
export interface Context {
  config: Config
  database: Database
  vault: Vault
  outbox: Outbox
  publish: Publish
  trail: Trail
}

/** The sentence that no embedded database exists. */
export function noStore({ dataDir }: Pick<Config['store'], 'dataDir'>): string {
  return `There is no database in ${dataDir}. Start Postern first, or set DATA_DIR.`
}

/**
 * Opens the store for one command, beside a server that may be running on it, and closes it afterwards.
 * @param begin whether the command may create the store; other commands refuse a missing one
 */
export async function withStore(
  terminal: Terminal,
  work: (context: Context) => Promise<number>,
  { begin = false }: { begin?: boolean } = {},
): Promise<number> {
  const config = readConfig(terminal.env)
  if (!begin && !hasStore(config.store)) {
    terminal.complain(noStore(config.store))
    return 1
  }
  const { database: opened, vault } = await openStore({
    config: config.store,
    clock: systemClock,
    schema: begin ? 'begin' : 'require',
    log: {
      warn() {},
      info: (data, message) => terminal.complain(`${message}: ${Object.values(data).join(', ')}`),
      error: (_data, message) => terminal.complain(message),
    },
  })
  // `postern move` may finish between the opening and a write.
  const database = whileInPlace(opened, (to) => new MovedError(to))
  const { notifier } = database
  const outbox = createOutbox({
    vault,
    configured: config.mail.smtpUrl !== undefined,
    product: config.web.product.name,
    language: config.web.language,
    // A command runs no worker. The server finds these jobs at its next poll.
    add: addJob,
  })
  // The server finds deliveries of this process's events in the table.
  const dispatch = createDispatch(notifier)
  try {
    return await work({
      config: await asServed(config, database.db),
      database,
      vault,
      outbox,
      publish: createPublish(createPublishAll(dispatch, createSubscriptions({ shared: true }))),
      trail: localTrail(await timeOf(database.db, config.devClock)),
    })
  } catch (error) {
    throw explainStoreError(error, config.store)
  } finally {
    // Servers drop their cached callers, because the command may have ended a right.
    notifier.notify('credentials')
    await database.close()
  }
}

/**
 * The settings of a command without a configured address: links use the base URL of the server that started last on this database.
 */
async function asServed(config: Config, db: Db): Promise<Config> {
  if (config.web.isAddressSet) return config
  const appUrl = await findFact(db, SERVED_AT)
  return appUrl === undefined ? config : { ...config, web: { ...config.web, appUrl } }
}
