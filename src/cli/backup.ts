import { closeSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { folderOf } from '../blobs/open-bytes.ts'
import { readConfig } from '../config/config.ts'
import { systemClock, toIso } from '../core/clock.ts'
import { copyEmbedded } from '../db/database.ts'
import { keySource } from '../store/key-file.ts'
import { hasStore } from '../store/open-store.ts'
import { quoted } from './terminal/quoted.ts'
import type { Command } from './terminal/terminal.ts'
import { noStore } from './with-store.ts'

/** `postern backup`: a copy of the embedded database while the server runs; for PostgreSQL, how to make one. */
export const backup: Command = {
  about: 'Copies the database to a file while the server runs; for PostgreSQL, prints the line that does.',
  usage: 'postern backup [--to FILE]',
  options: {
    to: { type: 'string', about: 'The file to write; postern-<time>.db in this folder unless told.' },
  },
  async run(terminal, options) {
    const config = readConfig(terminal.env)
    const moment = toIso(systemClock.now()).slice(0, 19).replaceAll(':', '')
    const name = options.to === undefined ? `postern-${moment}.db` : String(options.to)
    const key = `The key is not in it: keep ${keySource(config.store)} as well. Without it the secrets in the copy cannot be read.`
    const bytes =
      config.blobs.s3 === undefined
        ? `Nor are the bytes of files: copy ${folderOf(config.store)} after it, so that nothing is missing that it names.`
        : 'Nor are the bytes of files: they are where BLOBS_URL says.'
    if (config.store.databaseUrl !== undefined) {
      // It sets what rests on its session.
      const direct = config.store.databaseDirectUrl !== undefined
      const command = `pg_dump --format=custom --file=${quoted(name.replace(/\.db$/, '.dump'))} "$${direct ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'}"`
      terminal.complain('PostgreSQL is copied with its own tool; nothing was written. Run:')
      terminal.print(command)
      terminal.answer({ file: null, command })
      terminal.complain(key)
      terminal.complain(bytes)
      return 1
    }
    if (!hasStore(config.store)) {
      terminal.complain(noStore(config.store))
      return 1
    }
    const file = resolve(name)
    // `wx` never overwrites; the copy holds hashes and addresses, so it is its owner's alone.
    try {
      closeSync(openSync(file, 'wx', 0o600))
    } catch (error) {
      terminal.complain(cannotWrite(file, error as NodeJS.ErrnoException))
      return 1
    }
    try {
      await copyEmbedded(config.store.dataDir, file)
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
    terminal.print(`Copied the database to ${file}.`)
    terminal.print(key)
    terminal.print(bytes)
    terminal.print(
      'To restore: stop Postern, put the copy in DATA_DIR as postern.db, without postern.db-wal and postern.db-shm beside it.',
    )
    terminal.answer({ file, command: null })
    return 0
  },
}

function cannotWrite(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EEXIST') return `${file} exists already and is left as it is. Choose another --to.`
  if (code === 'ENOENT') return `${file} is in a folder that does not exist. Make it, or choose another --to.`
  return `${file} cannot be written: ${message}`
}
