import type { FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts'
import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { DOCS_PATH, unknownPath } from '../../http/error-response.ts'
import type { ReadDocument } from '../../http/openapi/openapi.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { asksFor } from '../../http/table/csv.ts'
import { logoOf } from '../../shared/logo.ts'
import { assetPath } from '../assets.ts'
import type { Facts } from '../layout.ts'
import { sendPage } from '../send-page.ts'
import { code } from './code.ts'
import { byTag, type Document, sampleOf, slugOf } from './document.ts'
import { errorPart } from './error-part.ts'
import { operationPart, type SdkNames } from './operation.ts'
import { CONFIRM } from './try-form.ts'

/** Where the pages are, and whose name they carry. */
export interface Site extends Pick<Facts, 'root' | 'product' | 'consolePath'> {
  baseUrl: string
}

/** `/api/docs`: the document of the API as pages for people, one for each tag, with a form that makes each call. */
export function referenceRoutes(server: Server, site: Site, readDocument: ReadDocument): void {
  // The document does not change while the server runs.
  const made = new Map<string, string | undefined>()
  const pageOf = async (part: string) => {
    if (!made.has(part)) made.set(part, await makePage((await readDocument()) as Document, site, part))
    return made.get(part)
  }
  server.get(DOCS_PATH, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, (await pageOf('')) as string),
  )
  server.get(
    `${DOCS_PATH}/:part`,
    {
      config: { access: 'public' },
      schema: { hide: true, params: strict({ part: Type.String({ pattern: '^[a-z-]{1,64}$' }) }) },
    },
    async (request, reply) => {
      const page = await pageOf(request.params.part)
      if (page === undefined) throw unknownPath(request)
      return sendPage(reply, page)
    },
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
  const back = html`<p class="back"><a href="${site.root}${DOCS_PATH}/error-codes">All errors</a></p>`
  return sendPage(
    reply,
    frame(site, error, html`${back}<h1>${error}</h1>${errorPart(error, site.baseUrl, 'h2')}`),
  )
}

/** @returns undefined where there is no such part */
async function makePage(document: Document, site: Site, part: string): Promise<string | undefined> {
  const { root } = site
  const tags = byTag(document)
  const back = html`<p class="back"><a href="${root}${DOCS_PATH}">API reference</a></p>`
  if (part === '') return frame(site, 'API reference', contents(document, site, tags))
  if (part === 'error-codes')
    return frame(
      site,
      'Errors',
      html`${back}<h1>Errors</h1>${ERROR_CODES.map(
        (one) =>
          html`<section class="operation" id="${one}" aria-labelledby="${one}-heading"><h2 id="${one}-heading">${one}</h2>${errorPart(one, site.baseUrl, 'h3')}</section>`,
      )}`,
    )
  if (part === 'event-types')
    return frame(site, 'Event types', html`${back}<h1>Event types</h1>${eventParts(document)}`)
  const [tag, operations] = [...tags].find(([name]) => slugOf(name) === part) ?? []
  if (tag === undefined || operations === undefined) return undefined
  const names = await sdkNames()
  return frame(
    site,
    tag,
    html`${back}<h1>${tag}</h1><ul class="contents">${operations.map(
      ({ operationId, summary = operationId }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
    )}</ul>${operations.map((operation) => operationPart(operation, document, names))}${CONFIRM}`,
    'try.js',
  )
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

function contents(document: Document, { root, product }: Site, tags: ReturnType<typeof byTag>): Html {
  const base = `${root}${DOCS_PATH}`
  const url = document.servers[0]?.url ?? ''
  return html`<h1>API reference</h1>
<p>${product.name} ${document.info.version}. The same as <a href="${root}/openapi.json">openapi.json</a>, to be read. Every call has a key of the organization, as <code>Authorization: Bearer</code>, and can be tried where it is described, by your session; every failure is one of the <a href="${base}/error-codes">errors</a>; what is sent to webhooks stands under <a href="${base}/event-types">event types</a>.</p>
${code('curl', `curl ${url}/v1/webhooks \\\n  -H "Authorization: Bearer $POSTERN_API_KEY"`)}
${code('SDK', `import { Postern } from 'postern-sdk'\n\nconst postern = new Postern({ baseUrl: '${url}', apiKey: 'psk_…' })\nfor await (const webhook of postern.webhooks.list()) console.log(webhook.url)`)}
${[...tags].map(
  ([tag, operations]) =>
    html`<section aria-labelledby="${slugOf(tag)}"><h2 id="${slugOf(tag)}"><a href="${base}/${slugOf(tag)}">${tag}</a></h2><ul class="contents">${operations.map(
      ({ operationId, summary = operationId, method, path }) =>
        html`<li><a href="${base}/${slugOf(tag)}#${operationId}">${summary}</a> <code class="quiet">${method} ${path}</code></li>`,
    )}</ul></section>`,
)}`
}

function eventParts(document: Document): Html {
  const all = Object.entries(document.webhooks)
  return html`${all.map(([type, { post }]) => {
    const schema = Object.values(post.requestBody?.content ?? {})[0]?.schema
    return html`<section class="operation" id="${type}" aria-labelledby="${type}-heading"><h2 id="${type}-heading">${type}</h2><p>${post.summary ?? ''}</p>${code('Example', JSON.stringify(sampleOf(schema, document), null, 2))}</section>`
  })}`
}

/** @param script the module that does something there; without one it is only read */
function frame({ root, product, consolePath }: Site, title: string, content: Html, script?: string): string {
  const logo = logoOf(root, product) ?? { path: assetPath(root, 'icon.svg'), type: 'image/svg+xml' }
  return html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${product.name}</title>
<link rel="icon" href="${logo.path}" type="${logo.type}">
<link rel="stylesheet" href="${assetPath(root, 'page.css')}">
<link rel="stylesheet" href="${assetPath(root, 'reference.css')}">
${script === undefined ? NOTHING : html`<script type="module" src="${assetPath(root, script)}"></script>`}
</head>
<body class="reference">
<header><img src="${logo.path}" alt="" height="36"><span>${product.name}</span>${consolePath === undefined ? NOTHING : html`<nav aria-label="Elsewhere"><a href="${consolePath}">Console</a></nav>`}</header>
<main>
${content}
</main>
</body>
</html>
`.markup
}
