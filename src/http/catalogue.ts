import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, CATALOGUE, ERROR_CODES, type ErrorCode } from '../core/errors.ts'
import { type Static, Type } from './schema/type.ts'
import { strict } from './schema/validation.ts'
import type { Server } from './server.ts'

const Entry = Type.Object({
  code: Type.String(),
  status: Type.Integer(),
  group: Type.String(),
  message: Type.String(),
  meaning: Type.String(),
  remedy: Type.String(),
})

function toWire(code: ErrorCode): Static<typeof Entry> {
  return { code, ...CATALOGUE[code] }
}

/**
 * `GET /v1/errors` and `GET /v1/errors/{code}`: the catalogue as data (decisions: conventions).
 * @param sendPage answers a person's browser, which asks for HTML, with what a code means; undefined for programs
 */
export function catalogueRoutes(
  server: Server,
  sendPage: (request: FastifyRequest, reply: FastifyReply, code: ErrorCode) => FastifyReply | undefined,
): void {
  server.get(
    '/v1/errors',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Errors'],
        operationId: 'listErrors',
        summary: 'List the error catalogue',
        response: { 200: Type.Object({ data: Type.Array(Entry), nextCursor: Type.Null() }) },
      },
    },
    async () => ({ data: ERROR_CODES.map(toWire), nextCursor: null }),
  )
  server.get(
    '/v1/errors/:code',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Errors'],
        operationId: 'readError',
        summary: 'Read one error code',
        description:
          'Whoever asks for `text/html`, as browsers do, gets a page: the `docUrl` of each error leads here.',
        params: strict({ code: Type.String({ maxLength: 100 }) }),
        response: { 200: Entry },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const known = ERROR_CODES.find((candidate) => candidate === code)
      if (known === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'code', value: code })
      void reply.header('vary', 'accept')
      return (sendPage(request, reply, known) as never) ?? toWire(known)
    },
  )
}
