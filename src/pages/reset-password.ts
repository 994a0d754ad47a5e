import { html } from '../core/text/html.ts'
import { type Facts, form, type Page, passwordField, step } from './layout.ts'

/** `/reset-password?token=`: where the mail of a forgotten password leads. */
export function resetPassword({ root, says }: Facts): Page {
  const { frame, fields, reset } = says
  return {
    title: reset.title,
    script: 'reset-password.js',
    content: html`
${step(
  'choose',
  reset.title,
  html`<p>${reset.about}</p>
${form('reset-password', reset.change, passwordField(says, 'reset-password', 'newPassword', fields.newPassword))}`,
  { shown: true },
)}
${step(
  'done',
  reset.done,
  html`<p>${reset.aboutDone}</p>
<p><a class="primary" href="${root}/sign-in">${frame.signIn}</a></p>`,
)}
${step(
  'dead',
  frame.deadLink,
  html`<p>${reset.why}</p>
<p><a class="primary" href="${root}/sign-in#forgot">${frame.askForLink}</a></p>`,
)}`,
  }
}
