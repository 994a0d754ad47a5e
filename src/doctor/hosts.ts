import { inspectHosts } from '../db/database.ts'
import type { Check, Finding } from './finding.ts'

/** For an address with several hosts of PostgreSQL: reports the used host, and the state of the others. */
export const checkHosts: Check = async ({ store: { databaseUrl, databaseDirectUrl } }) => {
  const findings = [
    ...(await check('DATABASE_URL', databaseUrl)),
    ...(await check('DATABASE_DIRECT_URL', databaseDirectUrl)),
  ]
  return findings
}

async function check(setting: string, url: string | undefined): Promise<Finding[]> {
  const what = 'Hosts'
  if (url === undefined) return []
  const { hosts, target } = await inspectHosts(url)
  if (hosts.length === 1) return []
  const used = hosts.find(({ trouble }) => trouble === undefined)
  const others = hosts
    .filter((host) => host !== used)
    .map(({ name, trouble }) => `${name} ${trouble ?? 'would do as well'}`)
    .join(', ')
  if (used === undefined) {
    const text = `no host of ${setting} takes writes: ${others}; look whether the cluster has a primary`
    return [{ level: 'problem', what, text }]
  }
  const findings: Finding[] = [{ level: 'ok', what, text: `${setting} uses ${used.name}; ${others}` }]
  if (hosts.some(({ trouble, isStandby }) => trouble !== undefined && !isStandby))
    findings.push({
      level: 'warning',
      what,
      text: `a host of ${setting} cannot be reached: it can take nothing over; bring it back or leave it out`,
    })
  if (target !== 'any' && hosts.filter(({ trouble }) => trouble === undefined).length > 1)
    findings.push({
      level: 'problem',
      what,
      text: `several hosts of ${setting} take writes: they are no cluster with one primary, and what one has the others lack`,
    })
  return findings
}
