import type { FastifyRequest } from 'fastify'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import type { Server } from '../../http/server.ts'
import type { ScimDeps } from './deps.ts'
import { changeGroup, createGroup, deleteGroup } from './group-change.ts'
import { findMembers, groupMatches } from './group-store.ts'
import { readGroup, readGroupChange } from './group-values.ts'
import { readOperations } from './operations.ts'
import { getProvisioned, listProvisioned } from './provisioned-rows.ts'
import { isRequested, project, readPart, readProjection, sendScim, toGroup, toList } from './scim-wire.ts'
import { actOf, idOf, SCIM_ROUTE, SCIM_WRITE } from './user-routes.ts'

const PATH = `${SCIM_PATH}/Groups`
/** One request writes a group with all its users. */
const WRITE = { ...SCIM_WRITE, bodyLimit: 1024 * 1024 }

/** `/scim/v2/Groups`. */
export function groupRoutes(server: Server, deps: ScimDeps): void {
  const { config, database } = deps
  const { baseUrl } = config.web

  server.get(PATH, SCIM_ROUTE, async (request, reply) => {
    const { organizationId } = callerOf(request)
    const projection = readProjection(request.query)
    const part = readPart(request.query)
    const { rows, total } = await listProvisioned(
      database.db,
      'scim_group',
      organizationId,
      part,
      groupMatches,
    )
    const ids = rows.map(({ id }) => id)
    const members = isRequested(projection, 'members') ? await findMembers(database.db, ids) : undefined
    // Large groups make a shorter page; the client requests the next one.
    const shown = members === undefined ? rows : rows.filter(({ id }) => members.has(id))
    const resources = shown.map((row) => project(toGroup(row, members?.get(row.id), baseUrl), projection))
    return sendScim(reply, 200, toList(resources, { total, startIndex: part.startIndex }))
  })

  server.get(`${PATH}/:id`, SCIM_ROUTE, async (request, reply) => {
    const row = await getProvisioned(
      database.db,
      'scim_group',
      callerOf(request).organizationId,
      idOf(request),
    )
    return sendScim(reply, 200, await showFor(request)(database.db, row))
  })

  server.post(PATH, WRITE, async (request, reply) => {
    const show = showFor(request)
    const { id, shown } = await createGroup(
      deps,
      actOf(request),
      readGroup(request.body as object),
      async (tx, row) => ({ id: row.id, shown: await show(tx, row) }),
    )
    void reply.header('location', `${baseUrl}${PATH}/${id}`)
    return sendScim(reply, 201, shown)
  })

  server.put(`${PATH}/:id`, WRITE, async (request, reply) => {
    const change = readGroup(request.body as object)
    const show = showFor(request)
    return sendScim(reply, 200, await changeGroup(deps, actOf(request), idOf(request), { change, show }))
  })

  server.patch(`${PATH}/:id`, WRITE, async (request, reply) => {
    const change = readGroupChange(readOperations(request.body as object))
    // The answer omits the group, because a large group would be sent for every user who joins it (RFC 7644 3.5.2).
    const isShown = readProjection(request.query).only !== undefined
    const show = isShown ? showFor(request) : async () => undefined
    const shown = await changeGroup(deps, actOf(request), idOf(request), { change, show })
    return shown === undefined ? reply.code(204).send(null) : sendScim(reply, 200, shown)
  })

  server.delete(`${PATH}/:id`, SCIM_ROUTE, async (request, reply) => {
    await deleteGroup(deps, actOf(request), idOf(request))
    return reply.code(204).send(null)
  })

  /** Shows a group as the request wants it. @throws ApiError VALIDATION_FAILED */
  function showFor({ query }: FastifyRequest) {
    const projection = readProjection(query)
    return async (db: Db | Tx, row: Tables['scim_group']) => {
      const members = isRequested(projection, 'members') ? await findMembers(db, [row.id]) : undefined
      return project(toGroup(row, members?.get(row.id), baseUrl), projection)
    }
  }
}
