import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, type Page, step } from './layout.ts'

/** `/`: says what this server is. */
export function home({ root, product, consolePath, hasSession }: Facts): Page {
  return {
    title: 'Welcome',
    content: step(
      'home',
      'A private gate',
      html`<p>This is ${product.name}. Join by invitation, and send signed events.</p>
${
  consolePath !== undefined && hasSession
    ? html`<p><a class="primary" href="${consolePath}">Open the console</a></p>`
    : html`<p><a class="primary" href="${root}/sign-in">Sign in</a></p>`
}
<p class="aside">${consolePath === undefined || hasSession ? NOTHING : html`<a href="${consolePath}">Open the console</a> `}<a href="${root}/api/docs">Read the API documentation</a></p>`,
      { shown: true },
    ),
  }
}
