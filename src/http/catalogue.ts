import type { FastifyReply, FastifyRequest } from 'fastify'
import { exampleAnswer, GUIDE } from '../core/error-guide.ts'
import { ApiError, CATALOGUE, ERROR_CODES, type ErrorCode } from '../core/errors.ts'
import { NoCursor } from './schema/list.ts'
import { type Static, Type } from './schema/type.ts'
import { strict } from './schema/validation.ts'
import type { Server } from './server.ts'

const Entry = Type.Object(
  {
    code: Type.String({ description: 'Stable: branch on it.' }),
    status: Type.Integer({ description: 'The HTTP status of this code.' }),
    group: Type.String({ description: 'The chapter of the catalogue.' }),
    message: Type.String({
      description: 'The usual `error.message`; it may change, and differs for some reasons.',
    }),
    meaning: Type.String({ description: 'The meaning of the code, in one sentence.' }),
    remedy: Type.String({ description: 'The remedy, in one sentence.' }),
    causes: Type.Array(Type.String(), {
      description: 'The causes, the most common first.',
    }),
    steps: Type.Array(Type.String(), { description: 'The steps of the remedy, in order.' }),
    example: Type.Object({}, { additionalProperties: true, description: 'A whole answer with this code.' }),
  },
  { title: 'CatalogueEntry' },
)

function toWire(code: ErrorCode, baseUrl: string): Static<typeof Entry> {
  const { causes, steps } = GUIDE[code]
  return { code, ...CATALOGUE[code], causes, steps, example: exampleAnswer(code, baseUrl) }
}

/**
 * `GET /v1/errors` and `GET /v1/errors/{code}`: the catalogue as data (decisions: conventions).
 * @param baseUrl the base of the `docUrl` in examples
 * @param sendPage answers a browser that asks for HTML with a page about the code; undefined for programs
 */
export function catalogueRoutes(
  server: Server,
  baseUrl: string,
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
        response: { 200: Type.Object({ data: Type.Array(Entry), nextCursor: NoCursor }) },
      },
    },
    async () => ({ data: ERROR_CODES.map((code) => toWire(code, baseUrl)), nextCursor: null }),
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
          'The `docUrl` of each error leads here. A request that prefers `text/html`, such as that of a browser, gets a page.',
        params: strict({ code: Type.String({ maxLength: 100 }) }),
        response: { 200: Entry },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const known = ERROR_CODES.find((candidate) => candidate === code)
      if (known === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'code', value: code })
      void reply.header('vary', 'accept')
      return (sendPage(request, reply, known) as never) ?? toWire(known, baseUrl)
    },
  )
}
