import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import { type Facts, field, form, linkTo, type Page, signedIn, step } from './layout.ts'

/** `/magic-link?token=`: signs in at the press of a button, and asks other browsers for the code. */
export function magicLink(facts: Facts): Page {
  const { root, says } = facts
  const { frame, fields, magicLink } = says
  const code = { name: 'code', label: fields.code, type: 'text', autocomplete: 'one-time-code' } as const
  const newLink = `${root}/sign-in#link`
  return {
    title: frame.signIn,
    script: 'magic-link.js',
    content: html`
${step(
  'open',
  magicLink.heading,
  html`<p>${magicLink.about}</p>
${form('open-link', frame.signIn, NOTHING)}
<p class="quiet">${magicLink.notYou}</p>`,
  { shown: true },
)}
${step(
  'code',
  magicLink.enterCode,
  html`<p>${magicLink.otherBrowser}</p>
${form('type-code', frame.signIn, field(says, 'type-code', { ...code, hint: magicLink.codeHint }))}
<p class="quiet">${fillHtml(magicLink.onlyYou, { link: linkTo(newLink) })}</p>`,
)}
${signedIn(facts, frame.youAreSignedIn)}
${step(
  'dead',
  frame.deadLink,
  html`<p>${magicLink.why}</p>
<p><a class="primary" href="${newLink}">${frame.askForLink}</a></p>`,
)}`,
  }
}
