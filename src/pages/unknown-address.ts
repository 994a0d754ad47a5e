import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, NOTHING } from '../core/text/html.ts'
import { DOCS_PATH } from '../http/error-response.ts'
import { asksFor } from '../http/table/csv.ts'
import { type Facts, layout, step } from './layout.ts'
import { sendPage } from './send-page.ts'

/**
 * Answers a browser at an address where there is nothing with a short page; the status stays 404.
 * @returns undefined where a program asks, or the request is no `GET`
 */
export function sendUnknownPage(
  facts: Pick<Facts, 'root' | 'product' | 'consolePath'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading || !asksFor('text/html', request)) return undefined
  const { root, consolePath } = facts
  const content = step(
    'unknown',
    'Page not found',
    html`<p>The address may be wrong, or the link may be old.</p>
${consolePath === undefined ? html`<p><a class="primary" href="${root}/">Open the start page</a></p>` : html`<p><a class="primary" href="${consolePath}">Open the console</a></p>`}
<p class="aside">${consolePath === undefined ? NOTHING : html`<a href="${root}/">Start page</a> `}<a href="${root}${DOCS_PATH}">API documentation</a></p>`,
    { shown: true },
  )
  void reply.header('vary', 'accept')
  return sendPage(reply, layout(facts, { title: 'Page not found', content }))
}
