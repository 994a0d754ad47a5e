import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Product } from '../config/product-variables.ts'
import { cookiesFor } from '../http/cookies.ts'
import { unknownPath } from '../http/error-response.ts'
import { Type } from '../http/schema/type.ts'
import { strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { ConsoleBuild } from './build-console.ts'
import type { createCompressed } from './compressed.ts'
import type { Place, Shell } from './shell.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
  '.tsx': 'text/javascript; charset=utf-8',
}

/** The form of the console's own paths. */
const PATH = /^(\/[\w.-]+)*\/?$/
const ORGANIZATION = /^\/org_[\w-]+/

/** The console after its first request. */
interface Ready {
  build: ConsoleBuild
  find: ReturnType<typeof createCompressed>
  shell: (place: Place) => Shell
}

/**
 * `/console` and its files. They are read at the first request, in a clone compiled, and nothing is
 * written to disk.
 */
export function consoleRoutes(server: Server, { config }: { config: Pick<Config, 'web'> }): void {
  if (!config.web.console) return
  const root = new URL(config.web.baseUrl).pathname.replace(/\/$/, '')
  const sessionCookie = cookiesFor(config.web.baseUrl).session
  let ready: Promise<Ready> | undefined
  const prepared = () => {
    ready ??= prepare(root, config.web.product).catch((error) => {
      ready = undefined
      throw error
    })
    return ready
  }

  server.get(
    '/console/assets/:digest/*',
    {
      config: { access: 'public', rates: ['consolePerIp'], ownRate: true },
      schema: { hide: true, params: strict({ digest: Type.String(), '*': Type.String() }) },
    },
    async (request, reply) => {
      const { build, find } = await prepared()
      const name = request.params['*']
      const found = await find(name, String(request.headers['accept-encoding'] ?? ''))
      if (found === undefined) throw unknownPath(request)
      const kept = request.params.digest === build.name ? 'public, max-age=31536000, immutable' : 'no-store'
      if (found.coding !== undefined) void reply.header('content-encoding', found.coding)
      return reply
        .header('cache-control', kept)
        .header('vary', 'accept-encoding')
        .type(TYPES[extname(name)] ?? 'application/octet-stream')
        .send(found.content)
    },
  )

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0]?.slice('/console'.length) ?? ''
    if (!PATH.test(path) || /\/\.\.?(\/|$)|^\/assets(\/|$)/.test(path)) throw unknownPath(request)
    const { shell } = await prepared()
    const { page, policy } = shell({
      path: path.replace(ORGANIZATION, '').replace(/\/$/, '') || '/',
      organization: ORGANIZATION.exec(path)?.[0].slice(1),
      hasSession: request.cookies[sessionCookie] !== undefined,
    })
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page)
  }
  for (const path of ['/console', '/console/*'])
    server.get(path, { config: { access: 'public' }, schema: { hide: true } }, answer)
}

async function prepare(root: string, product: Product): Promise<Ready> {
  const [{ buildConsole }, { createCompressed: create }, { makeShell }] = await Promise.all([
    import('./build-console.ts'),
    import('./compressed.ts'),
    import('./shell.ts'),
  ])
  const build = await buildConsole()
  return { build, find: create(build.files), shell: (place) => makeShell(build, root, product, place) }
}
