import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import { type Facts, form, linkTo, type Page, step } from './layout.ts'

/** `/change-email?token=`: agrees to a change of one's address or refuses it, at either mailbox, at the press of a button. */
export function changeEmail({ root, says }: Facts): Page {
  const { frame, changeEmail } = says
  return {
    title: changeEmail.title,
    script: 'change-email.js',
    content: html`
${step(
  'open',
  changeEmail.title,
  html`<p>${changeEmail.about}</p>
${form('agree', changeEmail.confirm, NOTHING)}
<p class="quiet">${changeEmail.notYou}</p>
${form('refuse', changeEmail.refuse, NOTHING)}`,
  { shown: true },
)}
${step('waits-for-new', changeEmail.waiting, html`<p>${changeEmail.waitsForNew}</p>`)}
${step('waits-for-present', changeEmail.waiting, html`<p>${changeEmail.waitsForPresent}</p>`)}
${step('changed', changeEmail.done, html`<p>${changeEmail.aboutDone}</p>`)}
${step('refused', changeEmail.refused, html`<p>${changeEmail.aboutRefused}</p>`)}
${step(
  'sign-in',
  changeEmail.signInFirst,
  html`<p>${fillHtml(changeEmail.aboutSignIn, { link: linkTo(`${root}/sign-in`) })}</p>`,
)}
${step('dead', frame.deadLink, html`<p>${changeEmail.why}</p>`)}`,
  }
}
