import { html, NOTHING } from '../core/html.ts'
import { type Facts, form, type Page, signedIn, step } from './layout.ts'

/** `/confirm-email?token=`: completes a sign-up that was made without the invitation's link. */
export function confirmEmail({ root }: Facts): Page {
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
${signedIn('Address confirmed. You are in')}
${step(
  'dead',
  'This link cannot be used',
  html`<p>It works once and for 24 hours, and only the newest one does.</p>
<ul>
<li>Confirmed before? <a href="${root}/sign-in">Sign in</a>.</li>
<li>Otherwise sign up again with the link of your invitation.</li>
</ul>`,
)}`,
  }
}
