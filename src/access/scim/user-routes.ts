import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import type { Server } from '../../http/server.ts'
import type { ScimContext, ScimDeps } from './deps.ts'
import { readOperations } from './operations.ts'
import { patchUser } from './patch-user.ts'
import { getProvisioned, listProvisioned } from './provisioned-rows.ts'
import { project, readPart, readProjection, sendScim, toList, toUser } from './scim-wire.ts'
import { changeUser, createUser, deleteUser } from './user-change.ts'
import { userMatches } from './user-store.ts'
import { draftOf, draftOfRow, readUser } from './user-values.ts'

const PATH = `${SCIM_PATH}/Users`

/** The options of all routes of resources; the OpenAPI document omits them, because RFC 7643 and 7644 define them. */
export const SCIM_ROUTE = {
  config: { access: 'scim:write' as const },
  schema: { hide: true },
  onRequest: mustBeKey,
}
/** Any attribute is accepted; attributes that are not stored are ignored. */
const SCIM_BODY = Type.Object({}, { additionalProperties: true })
export const SCIM_WRITE = { ...SCIM_ROUTE, schema: { hide: true, body: SCIM_BODY } }

/**
 * Checks that the caller is a key, because a person with the scope could join the group of the administrators.
 * @throws ApiError FORBIDDEN `key_required`
 */
async function mustBeKey(request: FastifyRequest): Promise<void> {
  const { kind } = callerOf(request)
  if (kind !== 'apiKey' && kind !== 'platformKey') throw new ApiError('FORBIDDEN', { reason: 'key_required' })
}

export const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id
export const actOf = (request: FastifyRequest): ScimContext => ({
  caller: callerOf(request),
  trail: trailOf(request),
})

/** `/scim/v2/Users`. */
export function userRoutes(server: Server, deps: ScimDeps): void {
  const { config, database } = deps
  const { baseUrl } = config.web

  server.get(PATH, SCIM_ROUTE, async (request, reply) => {
    const { organizationId } = callerOf(request)
    const projection = readProjection(request.query)
    const part = readPart(request.query)
    const { rows, total } = await listProvisioned(database.db, 'scim_user', organizationId, part, userMatches)
    const resources = rows.map((row) => project(toUser(row, baseUrl), projection))
    return sendScim(reply, 200, toList(resources, { total, startIndex: part.startIndex }))
  })

  server.get(`${PATH}/:id`, SCIM_ROUTE, async (request, reply) => {
    const projection = readProjection(request.query)
    const row = await getProvisioned(
      database.db,
      'scim_user',
      callerOf(request).organizationId,
      idOf(request),
    )
    return sendScim(reply, 200, project(toUser(row, baseUrl), projection))
  })

  server.post(PATH, SCIM_WRITE, async (request, reply) => {
    const row = await createUser(deps, actOf(request), readUser(draftOf(request.body as object)))
    void reply.header('location', `${baseUrl}${PATH}/${row.id}`)
    return sendScim(reply, 201, project(toUser(row, baseUrl), readProjection(request.query)))
  })

  server.put(`${PATH}/:id`, SCIM_WRITE, async (request, reply) => {
    const draft = draftOf(request.body as object)
    const values = readUser(draft)
    const saysActive = (draft.active ?? null) !== null
    // Without `active` the user's state does not change, so that no user is activated by omission.
    const change = (row: Tables['scim_user']) => (saysActive ? values : { ...values, active: row.active })
    const row = await changeUser(deps, actOf(request), idOf(request), { change, saysActive })
    return sendScim(reply, 200, project(toUser(row, baseUrl), readProjection(request.query)))
  })

  server.patch(`${PATH}/:id`, SCIM_WRITE, async (request, reply) => {
    const operations = readOperations(request.body as object)
    const change = (row: Tables['scim_user']) => readUser(patchUser(draftOfRow(row), operations))
    const saysActive = operations.some(({ path }) => path.attribute === 'active')
    const row = await changeUser(deps, actOf(request), idOf(request), { change, saysActive })
    return sendScim(reply, 200, project(toUser(row, baseUrl), readProjection(request.query)))
  })

  server.delete(`${PATH}/:id`, SCIM_ROUTE, async (request, reply) => {
    await deleteUser(deps, actOf(request), idOf(request))
    return reply.code(204).send(null)
  })
}
