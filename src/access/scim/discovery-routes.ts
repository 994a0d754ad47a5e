import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../db/owned-row.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { type Described, describe } from './scim-schemas.ts'
import { sendScim, toList } from './scim-wire.ts'

/** `/scim/v2/ServiceProviderConfig`, `/ResourceTypes` and `/Schemas`: the same for every client, before it shows a credential. */
export function discoveryRoutes(server: Server, { config }: Pick<AccessDeps, 'config'>): void {
  const { schemas, resourceTypes, config: provider } = describe(`${config.web.baseUrl}${SCIM_PATH}`)
  const open = { config: { access: 'public' as const }, schema: { hide: true } }
  server.get(`${SCIM_PATH}/ServiceProviderConfig`, open, async (_request, reply) =>
    sendScim(reply, 200, provider),
  )
  for (const [path, all] of [
    ['Schemas', schemas],
    ['ResourceTypes', resourceTypes],
  ] as [string, Described[]][]) {
    server.get(`${SCIM_PATH}/${path}`, open, async (_request, reply) =>
      sendScim(reply, 200, toList(all, { total: all.length, startIndex: 1 })),
    )
    server.get(`${SCIM_PATH}/${path}/:name`, open, async (request, reply) => sendOne(request, reply, all))
  }
}

function sendOne(request: FastifyRequest, reply: FastifyReply, all: Described[]): FastifyReply {
  const { name } = request.params as { name: string }
  const found = all.find(({ id }) => id.toLowerCase() === name.toLowerCase())
  if (found === undefined) throw notFound('id', name.slice(0, 256))
  return sendScim(reply, 200, found)
}
