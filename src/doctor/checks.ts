import { checkAuditStreams } from './audit-streams.ts'
import { checkBackups } from './backups.ts'
import { checkBlobs } from './blobs.ts'
import { checkConnections } from './connections.ts'
import { checkDurability } from './durability.ts'
import type { Check, Finding } from './finding.ts'
import { checkHosts } from './hosts.ts'
import { checkAddress, checkClock, checkMail, checkOrigins, checkProxy } from './network.ts'
import { checkParked } from './parked.ts'
import { checkPooler } from './pooler.ts'
import { checkProblems } from './problems.ts'
import { checkStandby } from './standby.ts'
import { checkDatabase, checkDataDir, checkKey, checkLedger, checkNode, checkPlans } from './store.ts'
import { checkWorkers } from './workers.ts'

/** All checks in the order of the output; checks of `database` open it and may read much of it. */
export const CHECKS: readonly { what: string; check: Check; of: 'settings' | 'database' }[] = [
  { what: 'Node', check: checkNode, of: 'settings' },
  { what: 'Data folder', check: checkDataDir, of: 'settings' },
  { what: 'Database', check: checkDatabase, of: 'database' },
  { what: 'Hosts', check: checkHosts, of: 'database' },
  { what: 'Durability', check: checkDurability, of: 'database' },
  { what: 'Standby', check: checkStandby, of: 'database' },
  { what: 'Pooler', check: checkPooler, of: 'database' },
  { what: 'Workers', check: checkWorkers, of: 'database' },
  { what: 'Parked', check: checkParked, of: 'database' },
  { what: 'Problems', check: checkProblems, of: 'database' },
  { what: 'Audit streams', check: checkAuditStreams, of: 'database' },
  { what: 'Key', check: checkKey, of: 'database' },
  { what: 'Files', check: checkBlobs, of: 'settings' },
  { what: 'Backups', check: checkBackups, of: 'database' },
  { what: 'Plans', check: checkPlans, of: 'database' },
  { what: 'Ledger', check: checkLedger, of: 'database' },
  { what: 'Mail', check: checkMail, of: 'settings' },
  { what: 'Base URL', check: checkAddress, of: 'settings' },
  { what: 'Proxy', check: checkProxy, of: 'settings' },
  { what: 'Origins', check: checkOrigins, of: 'settings' },
  { what: 'Connections', check: checkConnections, of: 'settings' },
  { what: 'Clock', check: checkClock, of: 'database' },
]

/** Runs a check. An error that it throws becomes a problem under the check's name. */
export function examine(
  { what, check }: (typeof CHECKS)[number],
  ...asked: Parameters<Check>
): Promise<Finding[]> {
  return check(...asked).catch((error: Error): Finding[] => [{ level: 'problem', what, text: error.message }])
}

/** Findings for unknown variables whose names resemble a setting. */
export function findMisspelt({ misspelt }: Parameters<Check>[0]): Finding[] {
  return misspelt.map(({ name, nearest }) => ({
    level: 'warning',
    what: 'Settings',
    text: `${name} is no setting; rename it if ${nearest} is meant`,
  }))
}
