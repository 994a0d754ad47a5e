import type { FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts'
import { html } from '../../core/text/html.ts'
import { asksFor } from '../../http/accept.ts'
import { DOCS_PATH, unknownPath } from '../../http/error-response.ts'
import type { ReadDocument } from '../../http/openapi/openapi.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { sendPage } from '../send-page.ts'
import type { SdkNames } from './calls.ts'
import { byTag, type Document, slugOf } from './document.ts'
import { errorPart } from './error-part.ts'
import { crumbs, frame, type Site } from './frame.ts'
import { contents, eventParts, tagPage } from './lists.ts'
import { operationPage } from './operation.ts'

/**
 * `/api/docs`: the document of the API as pages for people. The first lists every operation, a tag has a page that lists its own,
 * and an operation has a page with a form that makes the call.
 */
export function referenceRoutes(server: Server, site: Site, readDocument: ReadDocument): void {
  // The document does not change while the server runs.
  let pages: Promise<Map<string, () => string>> | undefined
  const send = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    pages ??= readDocument().then((document) => pagesOf(document as Document, site))
    const make = (await pages).get(path)
    if (make === undefined) throw unknownPath(request)
    return sendPage(reply, make())
  }
  const config = { access: 'public' } as const
  const schema = { hide: true } as const
  server.get(DOCS_PATH, { config, schema }, async (request, reply) => send(request, reply, ''))
  const params = strict({ part: Type.String() })
  server.get(`${DOCS_PATH}/:part`, { config, schema: { ...schema, params } }, async (request, reply) =>
    send(request, reply, request.params.part),
  )
  const named = strict({ operationId: Type.String() })
  server.get(
    `${DOCS_PATH}/operations/:operationId`,
    { config, schema: { ...schema, params: named } },
    async (request, reply) => send(request, reply, `operations/${request.params.operationId}`),
  )
}

/** Answers a browser with the page of an error code, where its `docUrl` leads; undefined for programs. */
export function sendErrorPage(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  error: ErrorCode,
): FastifyReply | undefined {
  if (!asksFor('text/html', request)) return undefined
  const way = crumbs(site, error, [[`${site.root}${DOCS_PATH}/error-codes`, 'Errors']])
  return sendPage(
    reply,
    frame(site, error, html`${way}<h1>${error}</h1>${errorPart(error, site.baseUrl, 'h2')}`),
  )
}

/** The function that makes each page, by its path below `/api/docs`. */
async function pagesOf(document: Document, site: Site): Promise<Map<string, () => string>> {
  const tags = byTag(document)
  const operations = [...tags.values()].flat()
  const names = await sdkNames()
  return new Map<string, () => string>([
    ['', () => frame(site, 'API reference', contents(document, site, tags), 'find.js')],
    ['error-codes', () => frame(site, 'Errors', errors(site))],
    [
      'event-types',
      () =>
        frame(
          site,
          'Event types',
          html`${crumbs(site, 'Event types')}<h1>Event types</h1>${eventParts(document)}`,
        ),
    ],
    ...[...tags].map(
      ([tag, own]) =>
        [slugOf(tag), () => frame(site, tag, tagPage(tag, own, site), 'find.js')] as [string, () => string],
    ),
    ...operations.map((operation, at): [string, () => string] => [
      `operations/${operation.operationId}`,
      () =>
        frame(
          site,
          operation.summary ?? operation.operationId,
          operationPage(operation, {
            document,
            site,
            names,
            before: operations[at - 1],
            after: operations[at + 1],
          }),
          'try.js',
        ),
    ]),
  ])
}

function errors(site: Site) {
  return html`${crumbs(site, 'Errors')}<h1>Errors</h1>${ERROR_CODES.map(
    (one) =>
      html`<section class="operation" id="${one}" aria-labelledby="${one}-heading"><h2 id="${one}-heading">${one}</h2>${errorPart(one, site.baseUrl, 'h3')}</section>`,
  )}`
}

async function sdkNames(): Promise<SdkNames> {
  const { ROUTES } = await import('../../../sdk/src/routes.gen.ts')
  const written = Object.entries(ROUTES).flatMap(([name, one]) =>
    typeof one === 'string'
      ? [[one, name] as const]
      : Object.entries(one).map(([method, route]) => [route, `${name}.${method}`] as const),
  )
  return new Map(written.map(([route, name]) => [route.split(' ').slice(0, 2).join(' '), name]))
}
