import { readConfig } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import { explainStoreError, inspectDatabase, openDatabase, SCHEMA_VERSION, WRITER } from '../db/database.ts'
import { keepFact } from '../store/facts.ts'
import { hasStore } from '../store/open-store.ts'
import type { Command } from './terminal/terminal.ts'

/** `postern migrate`: migrates the database to the schema of this version, without a start. */
export const migrate: Command = {
  about: 'Upgrades the database to the schema of this version, like a start. Make a backup first.',
  usage: 'postern migrate',
  options: {},
  async run(terminal) {
    const config = readConfig(terminal.env)
    const from = hasStore(config.store) ? (await inspectDatabase(config.store)).version : 0
    const steps: string[] = []
    const database = await openDatabase({
      ...config.store,
      clock: systemClock,
      report(step) {
        steps.push(step)
        terminal.print(`Migrating: ${step}`)
      },
      onConnectionError: ({ message }) => terminal.complain(message),
    })
    try {
      await keepFact(database, WRITER, VERSION)
    } catch (error) {
      throw explainStoreError(error, config.store)
    } finally {
      await database.close()
    }
    terminal.print(
      steps.length === 0
        ? `The database has schema version ${SCHEMA_VERSION} already; nothing has changed.`
        : `The database has schema version ${SCHEMA_VERSION} now, it had ${from}.`,
    )
    terminal.answer({ from, to: SCHEMA_VERSION, steps })
    return 0
  },
}
