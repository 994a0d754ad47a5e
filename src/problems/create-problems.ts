import type { Db } from '../db/database.ts'
import { callerOf, isPermitted } from '../http/principal.ts'
import { NoCursor } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import {
  type Count,
  PROBLEM_STATES,
  type Problem,
  type ProblemContext,
  type ProblemKind,
  ProblemSchema,
  type ProblemSource,
  toProblemWire,
} from './problem.ts'

/** Most problems of one answer; `more` counts the others. */
const MOST_SHOWN = 500

/** The open problems of one organization, and the counts of all. */
export interface Problems {
  routes: (server: Server) => void
  /** How many rows of all organizations each kind of problem concerns, for metrics. */
  count: (context: Pick<ProblemContext, 'now'>) => Promise<Map<ProblemKind, Count>>
}

/**
 * Gathers the problems of all sources.
 * @param sources one for each kind
 */
export function createProblems(
  { config, database }: Pick<Shared, 'config' | 'database'>,
  sources: readonly ProblemSource[],
): Problems {
  const { book } = config.plans
  return {
    count: ({ now }) => countProblems(database.background.db, sources, { now, book }),
    routes(server) {
      server.get(
        '/v1/problems',
        {
          config: { access: 'caller' },
          schema: {
            tags: ['Problems'],
            operationId: 'listProblems',
            summary: 'List the open problems',
            description: `The open problems that the caller may see, the worst first: webhooks that are disabled, parked or failing, or have deliveries that failed permanently; runs that wait for a person; failed files and documents; connections that must be renewed; mails that were not sent; low credits; API keys that expire, or whose replaced secret a directory still uses; domains whose record is missing; identity providers whose certificates or replaced keys end. A solved problem is no longer listed; a permanent failure is listed for 7 days at most. Up to 10,000 rows of each problem are counted. With more than ${MOST_SHOWN} problems, \`more\` counts the others.`,
            response: {
              200: Type.Object({
                data: Type.Array(ProblemSchema),
                more: Type.Integer({ minimum: 0, description: 'Problems beyond those in `data`.' }),
                nextCursor: { ...NoCursor, description: 'Always null: the list has one page.' },
              }),
            },
          },
        },
        async (request) => {
          const caller = callerOf(request)
          const seen = sources.filter(({ permission }) => isPermitted(caller, permission, book))
          const found: Problem[] = []
          for (const source of seen)
            found.push(...(await source.find(database.db, caller, { now: request.now, book })))
          const problems = found.toSorted(worstFirst)
          return {
            data: problems.slice(0, MOST_SHOWN).map(toProblemWire),
            more: Math.max(0, problems.length - MOST_SHOWN),
            nextCursor: null,
          }
        },
      )
    },
  }
}

/** Counts the rows of all organizations that each kind of problem concerns, for metrics and the doctor. */
export async function countProblems(
  db: Db,
  sources: readonly ProblemSource[],
  context: ProblemContext,
): Promise<Map<ProblemKind, Count>> {
  const counts = new Map<ProblemKind, Count>()
  for (const source of sources) counts.set(source.kind, await source.count(db, context))
  return counts
}

/** Sorts by state, then by the number of waiting and failed rows, then by age. */
function worstFirst(a: Problem, b: Problem): number {
  const rank = ({ state }: Problem) => PROBLEM_STATES.indexOf(state)
  const size = ({ waiting, failed }: Problem) => (waiting?.count ?? 0) + (failed?.count ?? 0)
  return rank(a) - rank(b) || size(b) - size(a) || a.since - b.since || (a.id < b.id ? -1 : 1)
}
