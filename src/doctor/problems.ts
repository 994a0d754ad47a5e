import { systemClock } from '../core/clock.ts'
import { queryStore } from '../db/inspect.ts'
import { PROBLEM_SOURCES } from '../operations/problem-sources.ts'
import { countProblems } from '../problems/create-problems.ts'
import type { ProblemKind } from '../problems/problem.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check } from './finding.ts'

/** Singular and plural of each kind. */
const NAMES: Record<ProblemKind, [one: string, several: string]> = {
  webhook: ['webhook that does not take everything', 'webhooks that do not take everything'],
  run: ['run that waits for a person', 'runs that wait for a person'],
  file: ['failed file', 'failed files'],
  document: ['failed document', 'failed documents'],
  connection: ['connection to be renewed', 'connections to be renewed'],
  mail: ['mail that did not go out', 'mails that did not go out'],
  api_key: [
    'API key that expires, has expired or is used by a replaced secret',
    'API keys that expire, have expired or are used by replaced secrets',
  ],
  domain: ['domain whose record is missing', 'domains whose record is missing'],
  identity_provider: [
    'identity provider whose certificate or replaced key ends',
    'identity providers whose certificates or replaced keys end',
  ],
  credits: ['organization with few credits left', 'organizations with few credits left'],
}

/** Reports the open problems of all organizations, where there are any; the organizations must solve them. */
export const checkProblems: Check = async ({ store, plans: { book } }) => {
  if (!hasStore(store)) return []
  const counts = await queryStore(store, (db) =>
    countProblems(db, PROBLEM_SOURCES, { now: systemClock.now(), book }),
  ).catch(() => undefined)
  const parts = [...(counts ?? [])].flatMap(([kind, { count, atLeast }]) =>
    count === 0 ? [] : `${count}${atLeast ? '+' : ''} ${NAMES[kind][count === 1 ? 0 : 1]}`,
  )
  if (parts.length === 0) return []
  return [{ level: 'ok', what: 'Problems', text: `of organizations: ${parts.join(', ')}` }]
}
