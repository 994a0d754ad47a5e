import { after } from 'node:test'
import { SIZE } from '#src/core/limits.ts'
import { type EngineName, type Postern, startPostern } from './postern.ts'
import { createTenant, type Tenant } from './tenants.ts'

/** Postern with an organization that has something of everything, and how many bytes a body of each route may have. */
interface LargestBodies {
  begin(): Promise<{ postern: Postern; tenant: Tenant }>
  /** Bytes of the largest body of each route, by `POST /path/{id}`; filled by `begin`. */
  limits: ReadonlyMap<string, number>
}

/** For a suite that sends the largest bodies to every route. The server starts with the first test and ends with the last. */
export function useLargestBodies(engine: EngineName): LargestBodies {
  const limits = new Map<string, number>()
  let started: ReturnType<typeof start> | undefined
  async function start() {
    const postern = await startPostern(engine, {
      extend: (server) =>
        server.addHook('onRoute', ({ method, url, bodyLimit }) => {
          for (const one of [method].flat())
            limits.set(`${one} ${url.replace(/:(\w+)/g, '{$1}')}`, bodyLimit ?? SIZE.body)
        }),
    })
    return { postern, tenant: await createTenant(postern) }
  }
  after(async () => (await started)?.postern.stop())
  return {
    limits,
    begin() {
      started ??= start()
      return started
    },
  }
}
