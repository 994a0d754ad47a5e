import { html, NOTHING } from '../core/text/html.ts'
import { fill } from '../core/text/message.ts'
import { type Facts, type Page, step } from './layout.ts'

/** `/`: says what this server is. */
export function home({ root, product, consolePath, hasSession, says: { frame, home } }: Facts): Page {
  return {
    title: home.title,
    content: step(
      'home',
      home.heading,
      html`<p>${fill(home.about, { product: product.name })}</p>
${
  consolePath !== undefined && hasSession
    ? html`<p><a class="primary" href="${consolePath}">${frame.openConsole}</a></p>`
    : html`<p><a class="primary" href="${root}/sign-in">${frame.signIn}</a></p>`
}
<p class="aside">${consolePath === undefined || hasSession ? NOTHING : html`<a href="${consolePath}">${frame.openConsole}</a> `}<a href="${root}/api/docs">${home.documentation}</a></p>`,
      { shown: true },
    ),
  }
}
