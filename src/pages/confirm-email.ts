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
  html`<p>Confirm your address to complete the sign-up.</p>
${form('confirm-email', 'Confirm the address', NOTHING)}
<p class="quiet">You did not sign up? Close this page. Nothing happens without your confirmation.</p>`,
  { shown: true },
)}
${step(
  'password',
  'Enter your password',
  html`<p>You opened the link in another browser than the one you signed up with. Enter the password that you chose there.</p>
${form('type-password', 'Confirm the address', field('type-password', { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }))}
<p class="quiet">You did not choose a password? Then somebody else signed up with your address. Close this page: nothing has happened, and your invitation still works.</p>`,
)}
${signedIn({ consolePath }, 'Address confirmed. You are in')}
${step(
  'dead',
  'This link cannot be used',
  html`<p>It works once, within 24 hours.</p>
<ul>
<li>Already confirmed? <a href="${root}/sign-in">Sign in</a>.</li>
<li>Otherwise sign up again with the link in your invitation.</li>
</ul>`,
)}`,
  }
}
