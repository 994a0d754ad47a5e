import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, providerButtons, signedIn, step, termsField } from './layout.ts'

/** `/accept-invitation?token=`: where the mail of an invitation leads. */
export function acceptInvitation({ root, providers, termsUrl, consolePath }: Facts): Page {
  return {
    title: 'Accept your invitation',
    script: 'accept-invitation.js',
    content: html`
${step('opening', 'One moment', html`<p role="status">Loading your invitation…</p>`, { shown: true })}
${step(
  'join',
  'You are invited',
  html`<ul class="organizations" data-list="organizations"></ul>
<p class="quiet">Valid until <span data-text="expiresAt"></span>.</p>
${form(
  'sign-up',
  'Join',
  html`${field('sign-up', { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', readonly: true })}
<div class="pair">
${field('sign-up', { name: 'firstName', label: 'First name', type: 'text', autocomplete: 'given-name' })}
${field('sign-up', { name: 'lastName', label: 'Last name', type: 'text', autocomplete: 'family-name' })}
</div>
${field('sign-up', { name: 'password', label: 'Choose a password', type: 'password', autocomplete: 'new-password', hint: 'At least 8 characters. A few unrelated words make a good one.' })}
${termsField('sign-up', termsUrl)}`,
)}
${providerButtons(providers, html`<p class="quiet">By continuing with one of these you also accept the terms of use.</p>`)}
<p class="aside"><a href="${root}/sign-in?invitation">I already have an account</a></p>`,
)}
${signedIn({ consolePath }, 'You are in')}
${step(
  'dead',
  'This invitation cannot be used',
  html`<p>It was already used, replaced by a newer one, revoked, or has expired.</p>
<ul>
<li>Already signed up? <a href="${root}/sign-in?invitation">Sign in</a>.</li>
<li>Look for a newer invitation in your inbox.</li>
<li>Otherwise ask the person who invited you for a new one.</li>
</ul>`,
)}
${step('trouble', 'Your invitation could not be loaded', form('retry', 'Try again', NOTHING))}`,
  }
}
