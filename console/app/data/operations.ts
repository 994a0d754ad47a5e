import { type OpenStream, toMethod } from '#sdk/method.ts'
import type { Methods, PosternOptions } from '#sdk/postern.ts'
import { createSend } from '#sdk/request.ts'

/** The routes of the operations whose callers are loaded, by the names that the SDK has for them: `webhooks.list`. */
const routes: Record<string, string> = {}

/**
 * Adds routes of operations for every client. The server appends a call of this function to each module, with the operations that the
 * module names (src/console/operations.ts). So a page loads the routes that its own screen calls, and not those of the whole API.
 */
export function addRoutes(more: Record<string, string>): void {
  Object.assign(routes, more)
}

/** A stream, whose code is loaded when one is first opened: what a screen shows does not wait for it. */
const openStream: OpenStream = async function* (...stream) {
  const { EventStream } = await import('#sdk/stream.ts')
  yield* new EventStream(...stream)
}

/** The SDK's client, with the operations of the modules that are loaded. */
export function createClient(options: PosternOptions): Methods {
  const send = createSend(options)
  const methodOf = (name: string) => {
    const route = routes[name]
    if (route === undefined) throw new TypeError(`${name} is called by no module that names it`)
    return toMethod(send, route, openStream)
  }
  const group = (name: string) => new Proxy({}, { get: (_, method: string) => methodOf(`${name}.${method}`) })
  return new Proxy(
    {},
    { get: (_, name: string) => (name in routes ? methodOf(name) : group(name)) },
  ) as Methods
}
