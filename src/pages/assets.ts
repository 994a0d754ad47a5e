import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { LANGUAGES, type Language } from '../core/language.ts'
import { unknownPath } from '../http/error-response.ts'
import { Type } from '../http/schema/type.ts'
import { strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { BROWSER_MESSAGES } from '../messages/messages.ts'

const FOLDER = new URL('./assets/', import.meta.url)

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Every file by its name. A request selects from this list, so its path never reaches the disk. */
const FILES = new Map([
  ...readdirSync(FOLDER)
    .sort()
    .map((name) => [name, readFileSync(new URL(name, FOLDER))] as const),
  ...LANGUAGES.map((language) => [messagesFile(language), moduleOf(BROWSER_MESSAGES[language])] as const),
])

/** The module with the messages of scripts in one language. */
export function messagesFile(language: Language): string {
  return `messages-${language}.js`
}

function moduleOf(messages: object): Buffer {
  return Buffer.from(`export const says = ${JSON.stringify(messages)}\n`)
}

/** A digest of all files, part of each address: files import one another, so their addresses change together. */
const DIGEST = [...FILES.values()]
  .reduce((hash, content) => hash.update(content).update('\0'), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** The path of one of the files, under the root path of `BASE_URL`. */
export function assetPath(root: string, name: string): string {
  return `${root}/assets/${DIGEST}/${name}`
}

/**
 * Serves style, scripts and logo of the pages. Under the present digest they are immutable. Under another digest, from a process of another
 * version, the present files are sent as not cacheable.
 */
export function assetRoutes(server: Server): void {
  server.get(
    '/assets/:digest/:name',
    {
      config: { access: 'public' },
      schema: { hide: true, params: strict({ digest: Type.String(), name: Type.String() }) },
    },
    async (request, reply) => {
      const { digest, name } = request.params
      const content = FILES.get(name)
      if (content === undefined) throw unknownPath(request)
      const kept = digest === DIGEST ? 'public, max-age=31536000, immutable' : 'no-store'
      return reply
        .header('cache-control', kept)
        .type(TYPES[extname(name)] ?? 'application/octet-stream')
        .send(content)
    },
  )
}
