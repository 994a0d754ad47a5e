import type { Access } from '../http/principal.ts'
import type { Server } from '../http/server.ts'

/** An object schema, as routes write theirs. */
export interface Members {
  properties?: Record<string, object>
  required?: string[]
}

/** The facts about a route that its tool needs. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `:name` for parameters. */
  url: string
  access: Access
  params: Members
  query: Members
  body: Members
}

/** Collects all routes by operationId, including those added later. */
export function collectOperations(server: Server): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>()
  server.addHook('onRoute', ({ method, url, schema, config }) => {
    const { operationId, params, querystring, body } = (schema ?? {}) as Record<string, unknown>
    if (typeof operationId !== 'string' || method === 'HEAD') return
    operations.set(operationId, {
      method: method as Operation['method'],
      url,
      access: config?.access ?? 'installation',
      params: (params ?? {}) as Members,
      query: (querystring ?? {}) as Members,
      body: (body ?? {}) as Members,
    })
  })
  return operations
}
