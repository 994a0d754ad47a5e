import { html } from '../core/text/html.ts'
import { type Facts, field, form, type Page, signedIn, step, termsField } from './layout.ts'

/** `/first-start?token=`: where the link of a first start leads. */
export function firstStart({ root, product, termsUrl, consolePath }: Facts): Page {
  return {
    title: 'Set up',
    script: 'first-start.js',
    content: html`
${step(
  'begin',
  `Set up ${product.name}`,
  html`<p>Create your organization and your account. You are its first administrator and can invite others.</p>
${form(
  'first-start',
  'Create',
  html`${field('first-start', { name: 'organization', label: 'Organization', type: 'text', autocomplete: 'organization' })}
<div class="pair">
${field('first-start', { name: 'firstName', label: 'First name', type: 'text', autocomplete: 'given-name' })}
${field('first-start', { name: 'lastName', label: 'Last name', type: 'text', autocomplete: 'family-name' })}
</div>
${field('first-start', { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email' })}
${field('first-start', { name: 'password', label: 'Choose a password', type: 'password', autocomplete: 'new-password', hint: 'At least 8 characters. A few unrelated words make a good one.' })}
${termsField('first-start', termsUrl)}`,
)}`,
  { shown: true },
)}
${signedIn({ consolePath }, 'You are in')}
${step(
  'dead',
  'This link cannot be used',
  html`<p>It works once, within an hour, until the first account exists. Only the link of the latest start works.</p>
<ul>
<li>Already set up? <a href="${root}/sign-in">Sign in</a>.</li>
<li>Otherwise restart the server in a terminal. It shows a new link.</li>
</ul>`,
)}`,
  }
}
