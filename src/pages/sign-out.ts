import { html, NOTHING } from '../core/text/html.ts'
import { fill } from '../core/text/message.ts'
import { type Facts, form, type Page, step } from './layout.ts'

/** `/sign-out`: ends the session at the press of a button, and goes back to the application that asked for it. */
export function signOut({ root, product, says, hasSession }: Facts): Page {
  const { frame, signOut } = says
  const about = fill(signOut.about, { product: product.name })
  return {
    title: signOut.title,
    script: 'sign-out.js',
    content: html`
${step('ask', signOut.title, html`<p>${about}</p>${form('sign-out', signOut.signOut, NOTHING)}`, { shown: hasSession })}
${step(
  'done',
  signOut.done,
  html`<p>${signOut.aboutDone}</p>
<p><a class="primary" href="${root}/sign-in">${frame.signIn}</a></p>`,
  { shown: !hasSession },
)}`,
  }
}
