import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, signedIn, step } from './layout.ts'

/** `/confirm-email?token=`: completes a sign-up that was made without the invitation's link. */
export function confirmEmail({ root, consolePath }: Facts): Page {
  return {
    title: 'Confirm your address',
    script: 'confirm-email.js',
    content: html`
${step(
  'confirm',
  'Confirm your address',
  html`<p>One press and your sign-up is complete.</p>
${form('confirm-email', 'Confirm the address', NOTHING)}
<p class="quiet">It was not you who signed up? Close this page: without your confirmation nothing happens.</p>`,
  { shown: true },
)}
${step(
  'password',
  'Now your password',
  html`<p>The link alone works only in the browser in which you signed up. Here it needs the password that you chose there, too.</p>
${form('type-password', 'Confirm the address', field('type-password', { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }))}
<p class="quiet">You chose none? Then somebody else signed up with your address. Close this page: nothing has happened. The link of your invitation still works.</p>`,
)}
${signedIn({ consolePath }, 'Address confirmed. You are in')}
${step(
  'dead',
  'This link cannot be used',
  html`<p>It works once and for 24 hours.</p>
<ul>
<li>Confirmed before? <a href="${root}/sign-in">Sign in</a>.</li>
<li>Otherwise sign up again with the link of your invitation.</li>
</ul>`,
)}`,
  }
}
