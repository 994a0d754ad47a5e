import type { RouteOptions } from 'fastify'
import type { Server } from '../server.ts'
import type { Documented } from './document.ts'

/** Returns the document; the first call makes it. */
export type ReadDocument = () => Promise<object>

/**
 * Serves OpenAPI 3.1 at `/openapi.json`, with a `webhooks` entry per event type. Must be called before the routes that
 * it describes. The generator is loaded with the first request.
 */
export function openapiRoutes(server: Server, documented: Documented): ReadDocument {
  const routes: RouteOptions[] = []
  let document: Promise<object> | undefined
  const readDocument: ReadDocument = () => {
    document ??= import('./document.ts').then(({ makeDocument }) => makeDocument(routes, documented))
    return document
  }
  server.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  server.get(
    '/openapi.json',
    { config: { access: 'public' }, schema: { hide: true } },
    async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=60')
      return readDocument()
    },
  )
  return readDocument
}
