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

/** `GET /v1/errors` and `GET /v1/errors/{code}`: the catalogue as data (decisions: conventions). */
export function catalogueRoutes(server: Server): void {
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
        params: strict({ code: Type.String({ maxLength: 100 }) }),
        response: { 200: Entry },
      },
    },
    async ({ params: { code } }) => {
      const known = ERROR_CODES.find((candidate) => candidate === code)
      if (known === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'code', value: code })
      return toWire(known)
    },
  )
}
