import type { FastifyInstance, FastifyRequest } from 'fastify'
import { turn } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { LoopTurns } from '../core/loop-turns.ts'
import { keepText } from './body/json-text.ts'
import { readJson } from './body/read-json.ts'
import { shapeOf } from './body/shape.ts'
import { whoseShare } from './rate-limit.ts'
import { isScim, SCIM_TYPE } from './scim-error.ts'

const BYTE_ORDER_MARK = '\ufeff'

type Parsers = 'removeContentTypeParser' | 'addContentTypeParser' | 'getDefaultJsonParser'

/**
 * JSON is the body format (specification 4). No bytes are no body, whatever `Content-Type` says of them: most clients
 * always send it, and the schema of a route that needs a body refuses a request without one. A member `__proto__`, or a
 * `prototype` within a `constructor`, is refused at any depth, as it could change the prototype of objects.
 *
 * A body is counted by the schema of its route before it is read, and read in pieces for which callers take turns
 * (`body/read-json.ts`).
 */
export function takeJsonBodies(server: Pick<FastifyInstance, Parsers>, turns: LoopTurns<string>): void {
  // Fastify would take plain text as well.
  server.removeContentTypeParser('text/plain')
  const parseJson = server.getDefaultJsonParser('error', 'error')

  function parse(request: FastifyRequest, text: string): unknown {
    // Reading has skipped one mark. The parser would skip a second, which readers of the kept text would not.
    if (text === '' || text.startsWith(BYTE_ORDER_MARK)) throw malformed()
    let read: { error: Error | null; value: unknown } | undefined
    // What is thrown in there it would take for malformed JSON.
    parseJson(request, text, (error, value) => {
      read = { error, value }
    })
    const { error = null, value } = read ?? {}
    if (error === null) return value
    if (isJson(text)) throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'reserved_member' })
    throw error
  }

  const take = async (request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length === 0) return undefined
    const shape = shapeOf(request.routeOptions.schema?.body as object | undefined)
    const owner = whoseShare(request)
    const read = await readJson(request.headers, bytes, shape, {
      nextTurn: () => (owner === undefined ? turn() : turns.enter(owner)),
      parse: (text) => parse(request, text),
      longestItem: request.routeOptions.config.longestItem,
    })
    keepText(request, read)
    return read.value
  }
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, take)
  server.addContentTypeParser(
    SCIM_TYPE,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (isScim(request.url)) return take(request, bytes)
      throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'media_type_not_supported' })
    },
  )
}

function malformed(): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
}

/** Asked only of what was refused. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
