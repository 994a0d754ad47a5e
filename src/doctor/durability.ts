import { inspectDurability } from '../db/database.ts'
import type { Check, Finding } from './finding.ts'

const what = 'Durability'

/** Checks whether a commit of PostgreSQL survives a power cut, and the loss of its machine. */
export const checkDurability: Check = async ({ store: { databaseUrl } }) => {
  if (databaseUrl === undefined) return []
  // The check of the database reports that it is unreachable.
  const found = await inspectDurability(databaseUrl).catch(() => undefined)
  if (found === undefined) return []
  const { settings, standbys } = found
  const isOff = (name: string) => settings.get(name) === 'off'
  const findings: Finding[] = []
  if (isOff('fsync'))
    findings.push(problem('fsync is off: a power cut loses or destroys what was acknowledged; turn it on'))
  if (isOff('full_page_writes'))
    findings.push(
      problem('full_page_writes is off: a power cut may leave pages that are half written; turn it on'),
    )
  const names = settings.get('synchronous_standby_names') ?? ''
  if (names === '' && standbys.length > 0) {
    const behind = standbys.map(({ behind }) => behind ?? 0)
    findings.push({
      level: 'warning',
      what,
      text: `${standbys.map(({ name }) => name).join(', ')} follow asynchronously (${Math.max(...behind)} bytes behind): what was acknowledged in the moments before a failover may be lost; set synchronous_standby_names`,
    })
  } else if (names !== '') {
    const synchronous = standbys.filter(({ state }) => state === 'sync' || state === 'quorum')
    const isHidden = standbys.some(({ state }) => state === undefined)
    if (synchronous.length > 0 || isHidden)
      findings.push({
        level: 'ok',
        what,
        text: isHidden
          ? `a commit waits for ${names}; this user may not see who that is just now (grant pg_monitor)`
          : `a commit waits for ${names}: ${synchronous.map(({ name, state }) => `${name} (${state})`).join(', ')}`,
      })
    else
      findings.push(
        problem(
          `a commit waits for ${names}, and no such standby follows: nothing is acknowledged until one does`,
        ),
      )
  }
  if (findings.length > 0) return findings
  return [{ level: 'ok', what, text: 'a commit is flushed to the disk of one machine; no standby follows' }]
}

function problem(text: string): Finding {
  return { level: 'problem', what, text }
}
