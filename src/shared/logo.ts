import { createHash } from 'node:crypto'
import type { Logo, Product } from '../config/product-variables.ts'
import { unknownPath } from '../http/error-response.ts'
import { Type } from '../http/schema/type.ts'
import { strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'

/** A picture may be opened as a page: a script in it does not run. */
const ALONE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** The address and the content of the operator's logo; undefined where it is ours. */
export function logoOf(root: string, { logo }: Product): { path: string; type: string } | undefined {
  return logo && { path: `${root}/assets/logo/${nameOf(logo)}`, type: logo.type }
}

/** The operator's logo, for the pages and the console. Each logo has its own address, so that browsers can cache it for good. */
export function logoRoute(server: Server, { logo }: Product): void {
  if (logo === undefined) return
  const own = nameOf(logo)
  server.get(
    '/assets/logo/:name',
    { config: { access: 'public' }, schema: { hide: true, params: strict({ name: Type.String() }) } },
    async (request, reply) => {
      if (request.params.name !== own) throw unknownPath(request)
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('content-security-policy', ALONE)
        .type(logo.type)
        .send(logo.content)
    },
  )
}

function nameOf({ type, content }: Logo): string {
  const print = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return `${print}.${type === 'image/png' ? 'png' : 'svg'}`
}
