import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { html, NOTHING } from '../core/text/html.ts'
import { asksFor } from '../http/accept.ts'
import { cookiesFor } from '../http/cookies.ts'
import { DOCS_PATH } from '../http/error-response.ts'
import { PAGE_MESSAGES } from '../messages/messages.ts'
import { type Facts, layout, step } from './layout.ts'
import { CHOSEN_BY, pageLanguage } from './page-language.ts'
import { sendPage } from './send-page.ts'

/**
 * Answers a browser at an address where there is nothing with a short page; the status stays 404.
 * @returns undefined where a program asks, or the request is no `GET`
 */
export function sendUnknownPage(
  facts: Pick<Facts, 'root' | 'product' | 'consolePath'> & Pick<Config['web'], 'baseUrl' | 'language'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading || !asksFor('text/html', request)) return undefined
  const { root, consolePath, baseUrl } = facts
  const language = pageLanguage(request, reply, cookiesFor(baseUrl), { ofInstallation: facts.language })
  const { frame, unknown } = PAGE_MESSAGES[language]
  const content = step(
    'unknown',
    unknown.title,
    html`<p>${unknown.about}</p>
${consolePath === undefined ? html`<p><a class="primary" href="${root}/">${unknown.openStart}</a></p>` : html`<p><a class="primary" href="${consolePath}">${frame.openConsole}</a></p>`}
<p class="aside">${consolePath === undefined ? NOTHING : html`<a href="${root}/">${unknown.start}</a> `}<a href="${root}${DOCS_PATH}">${unknown.documentation}</a></p>`,
    { shown: true },
  )
  void reply.header('vary', `accept, ${CHOSEN_BY}`)
  return sendPage(reply, layout({ ...facts, language }, { title: unknown.title, content }), language)
}
