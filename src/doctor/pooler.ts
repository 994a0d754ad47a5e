import { inspectConnectionPath } from '../db/database.ts'
import type { Check } from './finding.ts'

/** Checks whether a pooler stands between this process and PostgreSQL, and what it prevents. */
export const checkPooler: Check = async ({ store: { databaseUrl, databaseDirectUrl } }) => {
  const what = 'Pooler'
  if (databaseUrl === undefined) return []
  // The check of the database reports that it is unreachable.
  const path = await inspectConnectionPath(databaseUrl, databaseDirectUrl ?? databaseUrl).catch(
    (error: Error) => error,
  )
  if (path instanceof Error)
    return databaseDirectUrl === undefined
      ? []
      : [{ level: 'problem', what, text: `DATABASE_DIRECT_URL cannot be reached: ${path.message}` }]
  const { isPooled, isNotified } = path
  if (!isPooled && isNotified)
    return [{ level: 'ok', what, text: 'none; statements are kept prepared, notifications are heard' }]
  const cost = 'statements are parsed anew each time'
  if (isNotified)
    return [{ level: 'ok', what, text: `one; ${cost}, notifications come by DATABASE_DIRECT_URL` }]
  if (databaseDirectUrl !== undefined) {
    const text =
      'DATABASE_DIRECT_URL hears no notification: does it lead through a pooler as well, or to another database?'
    return [{ level: 'problem', what, text }]
  }
  const text = `one, and no DATABASE_DIRECT_URL: ${cost}; what another process must send or know waits up to 5 s; set it`
  return [{ level: 'warning', what, text }]
}
