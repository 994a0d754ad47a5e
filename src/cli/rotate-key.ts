import { type Config, readConfig } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import { openVault, type Vault } from '../core/secret.ts'
import { explainStoreError, openDatabase, type Tx } from '../db/database.ts'
import { reseal, UnreadableError } from '../db/reseal.ts'
import {
  adoptNextKey,
  findMasterKey,
  generateNextKey,
  keyFile,
  keySource,
  putAway,
} from '../store/key-file.ts'
import { findFingerprint, hasStore, replaceFingerprint, type Store } from '../store/open-store.ts'
import { type Command, type Terminal, UsageError } from './terminal/terminal.ts'
import { noStore } from './with-store.ts'

/** `postern rotate-key`: seals all secrets under another master key. */
export const rotateKey: Command = {
  about: 'Changes the master key: seals every secret in the database under a new one. Stop Postern first.',
  usage: 'postern rotate-key',
  options: {},
  async run(terminal) {
    const config = readConfig(terminal.env).store
    if (config.secretKey !== undefined && config.nextSecretKey === undefined)
      throw new UsageError(
        'NEXT_SECRET_KEY must be set beside SECRET_KEY: the new key, 32 bytes or more of chance, such as openssl rand -base64 32 prints.',
      )
    if (config.nextSecretKey !== undefined && config.nextSecretKey === findMasterKey(config))
      throw new UsageError('NEXT_SECRET_KEY is the present key. Set it to another one.')
    if (!hasStore(config)) {
      terminal.complain(noStore(config))
      return 1
    }
    const database = await openDatabase({
      ...config,
      clock: systemClock,
      schema: 'exact',
      report: (step) => terminal.complain(`migrating: ${step}`),
      onConnectionError: ({ message }) => terminal.complain(message),
    })
    try {
      await database.claimAlone('postern rotate-key')
      return await change(terminal, config, database)
    } catch (error) {
      throw explainStoreError(error, config)
    } finally {
      await database.close()
    }
  },
}

async function change(
  terminal: Terminal,
  config: Config['store'],
  database: Store['database'],
): Promise<number> {
  const sealedUnder = await findFingerprint(database)
  if (sealedUnder === undefined) {
    terminal.complain('No key has been used yet, and so nothing is sealed.')
    return 1
  }
  const { nextSecretKey } = config
  // A crash followed the commit of the last rotation, so only the key file is missing.
  if (nextSecretKey !== undefined && openVault(nextSecretKey).fingerprint === sealedUnder) {
    terminal.print('This key has been changed already.')
    conclude(terminal, config, sealedUnder)
    return 0
  }
  adoptNextKey(config, sealedUnder)
  const key = findMasterKey(config)
  const from = key === undefined ? undefined : openVault(key)
  if (from?.fingerprint !== sealedUnder) {
    terminal.complain(
      `The secrets are sealed under the key with fingerprint ${sealedUnder}; ${from === undefined ? 'there is none' : `this one has ${from.fingerprint}`}. Put the key of the secrets into ${keySource(config)}. Nothing was changed.`,
    )
    return 1
  }
  // The key is on disk before anything is sealed under it. After a crash one of the two keys opens every secret.
  const to = openVault(nextSecretKey ?? generateNextKey(config))
  terminal.print(`Changing the key with fingerprint ${from.fingerprint} to ${to.fingerprint}.`)
  try {
    await database.tx((tx) => sealUnder(tx, terminal, from, to))
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    terminal.complain(error.message)
    return 1
  }
  conclude(terminal, config, to.fingerprint)
  return 0
}

/** Seals in one transaction: after a crash all secrets are under one of the two keys. */
async function sealUnder(tx: Tx, terminal: Terminal, from: Vault, to: Vault): Promise<void> {
  await reseal(tx, from, to, (table, done) => terminal.print(`  ${table}: ${done} sealed`))
  await replaceFingerprint(tx, to)
}

/** Writes the key file for the next start, or prints that the operator must set `SECRET_KEY`. */
function conclude(terminal: Terminal, config: Config['store'], fingerprint: string): void {
  const kept =
    config.secretKey === undefined ? (adoptNextKey(config, fingerprint) ?? putAway(config)) : undefined
  terminal.answer({ fingerprint, oldKeyFile: kept ?? null })
  terminal.print(`Every secret is sealed under the key with fingerprint ${fingerprint} now.`)
  if (config.nextSecretKey === undefined) {
    terminal.print(`It is in ${keyFile(config)}. Processes on other machines need the same file.`)
  } else {
    terminal.print('Set SECRET_KEY to what NEXT_SECRET_KEY is, unset NEXT_SECRET_KEY, then start.')
  }
  terminal.print(
    `Backups made before need the old key${kept === undefined ? '' : ` (${kept})`}: keep it apart as long as them, then destroy it.`,
  )
  terminal.print('Codes in mails of the last minutes no longer work; the links beside them still do.')
}
