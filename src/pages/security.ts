import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, step } from './layout.ts'

/** `/security`: a person's own second factors and recovery codes. */
export function security({ root }: Facts): Page {
  return {
    title: 'Second factors',
    script: 'security.js',
    content: html`
${step('opening', 'One moment', html`<p role="status">Loading your second factors…</p>`, { shown: true })}
${step(
  'factors',
  'Your second factors',
  html`<p data-when="none">A second factor protects your account when somebody learns your password.</p>
<ul class="factors" data-factors></ul>
<p data-when="some" class="quiet">Recovery codes left: <span data-text="left"></span></p>
<div data-passkeys hidden>${form('add-passkey', 'Add a passkey', NOTHING)}</div>
${form('add-totp', 'Add an authenticator app', NOTHING)}
<div data-when="some">${form('renew-codes', 'Make new recovery codes', NOTHING)}</div>`,
)}
${step(
  'totp',
  'Add an authenticator app',
  html`<p>Scan this with your authenticator app, or type the secret into it.</p>
<svg class="qr" role="img" aria-label="QR code of the secret below"><path/></svg>
<p><code class="secret" data-text="secret"></code></p>
${form('confirm-totp', 'Add', field('confirm-totp', { name: 'totp', label: 'Code of the app', type: 'text', autocomplete: 'one-time-code', hint: 'Six digits.' }))}
<p class="aside"><a href="${root}/security">Cancel</a></p>`,
)}
${step(
  'codes',
  'Keep these recovery codes',
  html`<p>Each lets you in once when you have lost your second factor. They are not shown a second time.</p>
<ol class="codes" data-codes></ol>
${form('kept-codes', 'I have kept them', NOTHING)}`,
)}
${step(
  'remove',
  'Remove this second factor?',
  html`<p><strong data-text="name"></strong> will no longer let you in.</p>
${form('remove-factor', 'Remove', NOTHING)}
<p class="aside"><a href="${root}/security">Keep it</a></p>`,
)}
${step(
  'show',
  'Show your second factor',
  html`<p>This change asks for a second factor of the last 10 minutes.</p>
<div data-method="passkey">${form('step-up-passkey', 'Use your passkey', NOTHING)}</div>
${form('step-up', 'Continue', field('step-up', { name: 'shown', label: 'Code of the app, or a recovery code', type: 'text', autocomplete: 'one-time-code' }))}
<p class="aside"><a href="${root}/security">Cancel</a></p>`,
)}
${step(
  'sign-in',
  'Sign in first',
  html`<p>Second factors are changed within 10 minutes after a sign-in.</p>
<p><a class="primary" href="${root}/sign-in?back=${encodeURIComponent(`${root}/security`)}#password">Sign in</a></p>`,
)}
${step('trouble', 'Your second factors could not be loaded', form('retry', 'Try again', NOTHING))}`,
  }
}
