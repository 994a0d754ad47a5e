import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { findFolderProblem } from '../core/folder.ts'
import { openVault } from '../core/secret.ts'
import { inspectDatabase, SCHEMA_VERSION } from '../db/database.ts'
import { explainFailure } from '../store/explain-failure.ts'
import { findMasterKey, keyFile, keySource } from '../store/key-file.ts'
import { hasStore, KEY_FINGERPRINT } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** The oldest Node that runs the sources without a build. */
const OLDEST_NODE = [24, 15] as const

/** Less free space lasts a busy server days, not weeks. */
const LITTLE_SPACE = 1024 ** 3

export const checkNode: Check = async () => {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isRecent = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  return isRecent
    ? [{ level: 'ok', what: 'Node', text: node }]
    : [{ level: 'problem', what: 'Node', text: `${node} is too old; run "npm ci", which brings its own` }]
}

export const checkDataDir: Check = async ({ store: { dataDir } }) => {
  const what = 'Data folder'
  const isThere = existsSync(dataDir)
  const trouble = findFolderProblem(dataDir)
  if (trouble !== undefined) return [{ level: 'problem', what, text: trouble }]
  try {
    if (isThere) accessSync(dataDir, constants.W_OK)
  } catch {
    return [
      {
        level: 'problem',
        what,
        text: `this user may not write ${dataDir}; give it the right or set DATA_DIR`,
      },
    ]
  }
  if (!isThere) return [{ level: 'ok', what, text: `${dataDir} is made at the first start` }]
  const findings: Finding[] = [{ level: 'ok', what, text: `${dataDir} is there, and this user may write it` }]
  if (isOpen(dataDir))
    findings.push({ level: 'warning', what, text: `other users can look into it; run: chmod 700 ${dataDir}` })
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  if (free < LITTLE_SPACE)
    findings.push({
      level: 'warning',
      what,
      text: `only ${Math.round(free / 1024 ** 2)} MiB are free on its disk; make room`,
    })
  return findings
}

/** Whether users other than the owner have any right to the path; Windows has no such mode. */
function isOpen(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
}

export const checkDatabase: Check = async (config) => {
  const what = 'Database'
  if (!hasStore(config.store)) return [{ level: 'ok', what, text: 'SQLite, made at the first start' }]
  let found: Awaited<ReturnType<typeof inspectDatabase>>
  try {
    found = await inspectDatabase(config.store, { isThorough: true })
  } catch (error) {
    return [{ level: 'problem', what, text: explainFailure(error).join(' ') }]
  }
  const name = found.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  if (found.isBeforeRelease) {
    const text = `${name}, written by a Postern from before the first release; begin a new database, or start that one`
    return [{ level: 'problem', what, text }]
  }
  const schema = `schema ${found.version} of ${SCHEMA_VERSION}`
  if (found.version > SCHEMA_VERSION && found.floor <= SCHEMA_VERSION)
    return [{ level: 'ok', what, text: `${name} answers, ${schema}: a newer Postern serves it too` }]
  if (found.version > SCHEMA_VERSION)
    return [{ level: 'problem', what, text: `${name}, ${schema}: a newer Postern wrote it; start that one` }]
  if (found.version < SCHEMA_VERSION)
    return [
      {
        level: 'warning',
        what,
        text: `${name}, ${schema}: the next start brings it up; make a backup first`,
      },
    ]
  return [{ level: 'ok', what, text: `${name} answers, ${schema}` }]
}

/** Finds plans that organizations have and no file describes; a start refuses them. */
export const checkPlans: Check = async (config) => {
  const what = 'Plans'
  const found = hasStore(config.store)
    ? await inspectDatabase(config.store).catch(() => undefined)
    : undefined
  const { plans } = config.plans.book
  const lacking = found?.plans.filter((plan) => !plans.has(plan)) ?? []
  if (lacking.length === 0) return [{ level: 'ok', what, text: [...plans.keys()].join(', ') }]
  const text = `organizations have ${lacking.join(', ')}, which PLANS_FILE lacks: no start succeeds until it has them, or "postern plan" gives these organizations another plan`
  return [{ level: 'problem', what, text }]
}

/** Adds up the credit ledger again, because credits are money. */
export const checkLedger: Check = async (config) => {
  const what = 'Ledger'
  const found = hasStore(config.store)
    ? await inspectDatabase(config.store).catch(() => undefined)
    : undefined
  if (found === undefined) return []
  if (found.unsound.length === 0)
    return [{ level: 'ok', what, text: 'every balance is the sum of its entries' }]
  const text = `the entries of ${found.unsound.join(', ')} do not add up to the balance: they were changed outside of Postern; compare them with a backup`
  return [{ level: 'problem', what, text }]
}

export const checkKey: Check = async (config) => {
  const what = 'Key'
  const key = findMasterKey(config.store)
  const begunWith = hasStore(config.store)
    ? (await inspectDatabase(config.store).catch(() => undefined))?.meta.get(KEY_FINGERPRINT)
    : undefined
  if (key === undefined && begunWith === undefined)
    return [{ level: 'ok', what, text: `${keyFile(config.store)} is made at the first start` }]
  if (key === undefined)
    return [
      {
        level: 'problem',
        what,
        text: `${keyFile(config.store)} is missing; put it back (fingerprint ${begunWith})`,
      },
    ]
  const { fingerprint } = openVault(key)
  if (begunWith !== undefined && begunWith !== fingerprint) {
    const text = `${keySource(config.store)} has fingerprint ${fingerprint}, the database was begun with ${begunWith}; use that one`
    return [{ level: 'problem', what, text }]
  }
  const findings: Finding[] = [
    { level: 'ok', what, text: `${keySource(config.store)} fits (fingerprint ${fingerprint})` },
  ]
  if (config.store.secretKey === undefined && isOpen(keyFile(config.store)))
    findings.push({
      level: 'problem',
      what,
      text: `other users can read it; run: chmod 600 ${keyFile(config.store)}`,
    })
  return findings
}
