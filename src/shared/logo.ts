import { createHash } from 'node:crypto'
import type { Logo, Product } from '../config/product-variables.ts'
import { unknownPath } from '../http/error-response.ts'
import { Type } from '../http/schema/type.ts'
import { strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'

/** A picture may be opened by itself, and whatever it holds then does nothing. */
const ALONE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Where the sign of the product is, and what it is; undefined where it is ours. */
export function logoOf(root: string, { logo }: Product): { path: string; type: string } | undefined {
  return logo && { path: `${root}/assets/logo/${nameOf(logo)}`, type: logo.type }
}

/** The operator's sign, for the pages and the console. Another sign has another address, so that each can be kept. */
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
