import { ApiError } from '../core/errors.ts'
import { readText } from './body/body-text.ts'
import { keepText } from './body/json-text.ts'
import type { Server } from './server.ts'

const BYTE_ORDER_MARK = '\ufeff'

/**
 * JSON is the body format (specification 4). No bytes are no body, whatever `Content-Type` says of them: most clients
 * always send it, and a route that asks for a body says itself that there is none. A member `__proto__`, or a
 * `prototype` within a `constructor`, is refused wherever it stands: it is how programs of JavaScript are led astray.
 */
export function takeJsonBodies(server: Server): void {
  // Fastify would take plain text as well.
  server.removeContentTypeParser('text/plain')
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const text = readText(request.headers, bytes, 'malformed_json')
    // Reading has skipped one; the parser would skip a second, and who reads the kept text would not.
    if (text.startsWith(BYTE_ORDER_MARK))
      throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
    keepText(request, text)
    parseJson(request, text, (error, body) => {
      if (error === null || !isJson(text)) return done(error, body)
      done(new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'reserved_member' }))
    })
  })
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
