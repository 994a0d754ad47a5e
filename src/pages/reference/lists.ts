import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { DOCS_PATH } from '../../http/error-response.ts'
import { code } from './code.ts'
import { type Document, type Placed, slugOf } from './document.ts'
import { crumbs, type Site } from './frame.ts'
import { sampleOf } from './samples.ts'

/** `/api/docs`: every operation by its tag, with a field by which `find.js` leaves those that fit. */
export function contents(document: Document, site: Site, tags: Map<string, Placed[]>): Html {
  const { root, product } = site
  const base = `${root}${DOCS_PATH}`
  const url = document.servers[0]?.url ?? ''
  return html`<h1>API reference</h1>
<p>${product.name} ${document.info.version}. The same document for programs is <a href="${root}/openapi.json">openapi.json</a>. Calls carry a key of the organization, as <code>Authorization: Bearer</code>; a key of the platform names the organization in <code>Postern-Organization</code>. The page of an operation also sends it, by your session. Every failure is one of the <a href="${base}/error-codes">errors</a>; <a href="${base}/event-types">event types</a> has what webhooks receive.</p>
<search hidden><label for="find">Find an operation</label>
<input id="find" type="search" autocomplete="off" spellcheck="false" aria-describedby="found" aria-keyshortcuts="/" placeholder="A name, a path or a word">
<p id="found" class="quiet" role="status"></p></search>
${[...tags].map(
  ([tag, operations]) =>
    html`<section aria-labelledby="${slugOf(tag)}" data-tag><h2 id="${slugOf(tag)}"><a href="${base}/${slugOf(tag)}">${tag}</a></h2>${list(operations, site)}</section>`,
)}
<section aria-labelledby="first-call" data-first-call><h2 id="first-call">A first call</h2>
${code('curl', `curl '${url}/v1/webhooks' \\\n  -H "Authorization: Bearer $POSTERN_API_KEY"`)}
${code('SDK', `import { Postern } from 'postern-sdk'\n\nconst postern = new Postern({ baseUrl: '${url}', apiKey: 'psk_…' })\nfor await (const webhook of postern.webhooks.list()) console.log(webhook.url)`)}
</section>`
}

/** `/api/docs/{tag}`: the operations of a tag. `find.js` leads from an operation's anchor on to its page. */
export function tagPage(tag: string, operations: Placed[], site: Site): Html {
  return html`${crumbs(site, tag)}<h1>${tag}</h1>${list(operations, site, { hasAnchors: true })}`
}

function list(operations: Placed[], { root }: Site, { hasAnchors = false } = {}): Html {
  return html`<ul class="contents">${operations.map(
    ({ operationId, summary = operationId, method, path }) =>
      html`<li${hasAnchors ? html` id="${operationId}"` : NOTHING}><a href="${root}${DOCS_PATH}/operations/${operationId}">${summary}</a> <code class="quiet">${method} ${path}</code></li>`,
  )}</ul>`
}

/** Every event type with an example: the events that webhooks receive. */
export function eventParts(document: Document): Html {
  const all = Object.entries(document.webhooks)
  return html`${all.map(([type, { post }]) => {
    const schema = Object.values(post.requestBody?.content ?? {})[0]?.schema
    return html`<section class="operation" id="${type}" aria-labelledby="${type}-heading"><h2 id="${type}-heading">${type}</h2><p>${post.summary ?? ''}</p>${code('Example', JSON.stringify(sampleOf(schema, document), null, 2))}</section>`
  })}`
}
