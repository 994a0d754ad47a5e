import type { HostRole } from '../config/database-url.ts'
import { inspectHosts } from '../db/database.ts'
import type { Check, Finding } from './finding.ts'

/** For each address with several hosts of PostgreSQL: reports the used host, and the state of the others. */
export const checkHosts: Check = async ({
  store: { databaseUrl, databaseDirectUrl, databaseStandbyUrl },
}) => {
  const findings = [
    ...(await check('DATABASE_URL', databaseUrl, 'primary')),
    ...(await check('DATABASE_DIRECT_URL', databaseDirectUrl, 'primary')),
    ...(await check('DATABASE_STANDBY_URL', databaseStandbyUrl, 'standby')),
  ]
  return findings
}

async function check(setting: string, url: string | undefined, role: HostRole): Promise<Finding[]> {
  const what = 'Hosts'
  if (url === undefined) return []
  const { hosts, target } = await inspectHosts(url, role)
  if (hosts.length === 1) return []
  const used = hosts.find(({ trouble }) => trouble === undefined)
  const others = hosts
    .filter((host) => host !== used)
    .map(({ name, trouble }) => `${name} ${trouble ?? 'would do as well'}`)
    .join(', ')
  if (used === undefined && role === 'standby') {
    const text = `no host of ${setting} is a standby, so the primary answers all lists: ${others}; look whether a standby follows`
    return [{ level: 'warning', what, text }]
  }
  if (used === undefined) {
    const text = `no host of ${setting} takes writes: ${others}; look whether the cluster has a primary`
    return [{ level: 'problem', what, text }]
  }
  const findings: Finding[] = [{ level: 'ok', what, text: `${setting} uses ${used.name}; ${others}` }]
  if (hosts.some(({ trouble, isUnfit }) => trouble !== undefined && !isUnfit))
    findings.push({
      level: 'warning',
      what,
      text: `a host of ${setting} cannot be reached: it can take nothing over; bring it back or leave it out`,
    })
  if (
    role === 'primary' &&
    target !== 'any' &&
    hosts.filter(({ trouble }) => trouble === undefined).length > 1
  )
    findings.push({
      level: 'problem',
      what,
      text: `several hosts of ${setting} take writes: they are no cluster with one primary, and what one has the others lack`,
    })
  return findings
}
