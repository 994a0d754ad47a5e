import { inspectStandby } from '../db/database.ts'
import type { Check } from './finding.ts'

const what = 'Standby'

/** Checks whether the standby of DATABASE_STANDBY_URL can answer lists. */
export const checkStandby: Check = async ({ store: { databaseUrl, databaseStandbyUrl } }) => {
  if (databaseUrl === undefined || databaseStandbyUrl === undefined) return []
  const { trouble, behind } = await inspectStandby(databaseUrl, databaseStandbyUrl)
  if (trouble !== undefined) {
    const text = `DATABASE_STANDBY_URL cannot be used (${trouble}): the primary answers all lists`
    return [{ level: 'warning', what, text }]
  }
  if (behind === undefined) {
    const text =
      'DATABASE_STANDBY_URL is more than 10 seconds behind: the primary answers all lists; look whether the standby follows'
    return [{ level: 'warning', what, text }]
  }
  return [{ level: 'ok', what, text: `it answers lists of programs, ${behind} ms behind` }]
}
