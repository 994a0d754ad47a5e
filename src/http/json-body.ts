import type { FastifyInstance, FastifyRequest } from 'fastify'
import { turn } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { LoopTurns } from '../core/loop-turns.ts'
import { limitsOf } from './body/body-limits.ts'
import { keepText } from './body/json-text.ts'
import { readJson } from './body/read-json.ts'
import { shareOwnerOf } from './rate-limit.ts'
import { isScim, SCIM_TYPE } from './scim-error.ts'

const BYTE_ORDER_MARK = '\ufeff'

type Parsers = 'removeContentTypeParser' | 'addContentTypeParser' | 'getDefaultJsonParser'

/**
 * Parses JSON bodies (specification 4), after checking the limits of the route's schema and in turns among callers
 * (`body/read-json.ts`). An empty body counts as none even with a `Content-Type`, since most clients always send one.
 * `__proto__`, and `prototype` within `constructor`, are refused at any depth against prototype pollution.
 */
export function takeJsonBodies(server: Pick<FastifyInstance, Parsers>, turns: LoopTurns<string>): void {
  // Fastify would accept plain text as well.
  server.removeContentTypeParser('text/plain')
  const parseJson = server.getDefaultJsonParser('error', 'error')

  function parse(request: FastifyRequest, text: string): unknown {
    // Decoding has removed one byte order mark. The parser would skip a second one, but readers of the kept text would
    // not.
    if (text === '' || text.startsWith(BYTE_ORDER_MARK)) throw malformed()
    let read: { error: Error | null; value: unknown } | undefined
    // Fastify would report an exception in this callback as malformed JSON.
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
    const shape = limitsOf(request.routeOptions.schema?.body as object | undefined)
    const owner = shareOwnerOf(request)
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

/** Called for refused bodies only. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
