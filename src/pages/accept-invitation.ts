import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import {
  type Facts,
  field,
  form,
  linkTo,
  nameFields,
  type Page,
  passwordField,
  providerButtons,
  signedIn,
  step,
  termsField,
} from './layout.ts'

/** `/accept-invitation?token=`: where the mail of an invitation leads. */
export function acceptInvitation(facts: Facts): Page {
  const { root, says } = facts
  const { frame, fields, invitation } = says
  const signInPath = `${root}/sign-in?invitation`
  return {
    title: invitation.title,
    script: 'accept-invitation.js',
    content: html`
${step('opening', frame.oneMoment, html`<p role="status">${invitation.loading}</p>`, { shown: true })}
${step(
  'join',
  invitation.heading,
  html`<ul class="organizations" data-list="organizations"></ul>
<p class="quiet">${fillHtml(invitation.validUntil, { date: html`<span data-text="expiresAt"></span>` })}</p>
${form(
  'sign-up',
  invitation.join,
  html`${field(says, 'sign-up', { name: 'email', label: fields.email, type: 'email', autocomplete: 'email', readonly: true })}
${nameFields(facts, 'sign-up')}
${passwordField(says, 'sign-up', 'password', fields.choosePassword)}
${termsField(facts, 'sign-up')}`,
)}
${providerButtons(facts, html`<p class="quiet">${invitation.providerTerms}</p>`)}
<p class="aside"><a href="${signInPath}">${invitation.haveAccount}</a></p>`,
)}
${signedIn(facts, frame.youAreIn)}
${step(
  'dead',
  invitation.dead,
  html`<p>${invitation.why}</p>
<ul>
<li>${fillHtml(invitation.signedUp, { link: linkTo(signInPath) })}</li>
<li>${invitation.newerOne}</li>
<li>${invitation.askForNew}</li>
</ul>`,
)}
${step('trouble', invitation.trouble, form('retry', frame.retry, NOTHING))}`,
  }
}
