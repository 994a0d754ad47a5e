import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { toIso } from '../core/clock.ts'
import type { Standby } from '../db/database.ts'
import { wantsCsv } from './accept.ts'
import { isInMcp } from './mcp-context.ts'
import type { Principal } from './principal.ts'

/** The header of an answer from a standby: the moment before which every acknowledged write is in it. */
export const AS_OF = 'Data-As-Of'

/** Callers whose lists a standby may answer. A person in the console sees what they have just changed. */
const PROGRAMS: ReadonlySet<Principal['kind']> = new Set(['apiKey', 'platformKey', 'grant', 'installation'])

/** Whether a route is a list of rows, which has pages. Lists without pages may come from the memory of the process. */
export function isPagedList({ method, schema }: Pick<RouteOptions, 'method' | 'schema'>): boolean {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object }
  return method === 'GET' && /^list[A-Z]/.test(schema?.operationId ?? '') && 'cursor' in properties
}

/**
 * Answers a page of a list from the standby, where the caller is a program and the standby is recent enough. A list that fails there is
 * read from the primary: the standby may lack the row that owns the list, or may have cancelled the query to apply the log. Tables (`text/csv`) are read from the primary, because
 * they are read after the handler; so are lists of the MCP server, whose answers have no header.
 * @param answer the handler of the route, which only reads
 */
export async function answerFromStandby(
  request: FastifyRequest,
  reply: FastifyReply,
  standby: Standby,
  answer: () => unknown,
): Promise<unknown> {
  const isForStandby = PROGRAMS.has(request.principal.kind) && !wantsCsv(request) && !isInMcp()
  const copy = isForStandby ? await standby.copy() : undefined
  if (copy === undefined) return answer()
  // Before the handler, which may send the answer.
  void reply.header(AS_OF, toIso(copy.asOf))
  try {
    return await copy.reading(answer)
  } catch (error) {
    if (reply.sent) throw error
    void reply.removeHeader(AS_OF)
    return answer()
  }
}
