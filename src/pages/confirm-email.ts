import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import { type Facts, field, form, linkTo, type Page, signedIn, step } from './layout.ts'

/** `/confirm-email?token=`: completes a sign-up that was made without the invitation's link. */
export function confirmEmail(facts: Facts): Page {
  const { root, says } = facts
  const { frame, fields, confirmation } = says
  const password = { name: 'password', label: fields.password, type: 'password' } as const
  return {
    title: confirmation.title,
    script: 'confirm-email.js',
    content: html`
${step(
  'confirm',
  confirmation.title,
  html`<p>${confirmation.about}</p>
${form('confirm-email', confirmation.confirm, NOTHING)}
<p class="quiet">${confirmation.notYou}</p>`,
  { shown: true },
)}
${step(
  'password',
  confirmation.enterPassword,
  html`<p>${confirmation.otherBrowser}</p>
${form('type-password', confirmation.confirm, field(says, 'type-password', { ...password, autocomplete: 'current-password' }))}
<p class="quiet">${confirmation.notYourPassword}</p>`,
)}
${signedIn(facts, confirmation.done)}
${step(
  'dead',
  frame.deadLink,
  html`<p>${confirmation.why}</p>
<ul>
<li>${fillHtml(confirmation.confirmed, { link: linkTo(`${root}/sign-in`) })}</li>
<li>${confirmation.signUpAnew}</li>
</ul>`,
)}`,
  }
}
