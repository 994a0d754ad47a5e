import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import { type Facts, field, form, type Page, step } from './layout.ts'

/** `/security`: a person's own second factors and recovery codes. */
export function security({ root, says }: Facts): Page {
  const { frame, fields, signIn, security } = says
  const code = { type: 'text', autocomplete: 'one-time-code' } as const
  const back = (words: string) => html`<p class="aside"><a href="${root}/security">${words}</a></p>`
  return {
    title: security.title,
    script: 'security.js',
    content: html`
${step('opening', frame.oneMoment, html`<p role="status">${security.loading}</p>`, { shown: true })}
${step(
  'factors',
  security.heading,
  html`<p data-when="none">${security.about}</p>
<ul class="factors" data-factors></ul>
<p data-when="some" class="quiet">${fillHtml(security.codesLeft, { left: html`<span data-text="left"></span>` })}</p>
<div data-passkeys hidden>${form('add-passkey', security.addPasskey, NOTHING)}</div>
${form('add-totp', security.addApp, NOTHING)}
<div data-when="some">${form('renew-codes', security.renewCodes, NOTHING)}</div>`,
)}
${step(
  'totp',
  security.addApp,
  html`<p>${security.scan}</p>
<svg class="qr" role="img" aria-label="${security.qrCode}"><path/></svg>
<p><code class="secret" data-text="secret"></code></p>
${form('confirm-totp', security.add, field(says, 'confirm-totp', { ...code, name: 'totp', label: fields.appCode, hint: fields.appCodeHint }))}
${back(frame.cancel)}`,
)}
${step(
  'codes',
  security.keepCodes,
  html`<p>${security.aboutCodes}</p>
<ol class="codes" data-codes></ol>
${form('kept-codes', security.kept, NOTHING)}`,
)}
${step(
  'remove',
  security.removing,
  html`<p>${fillHtml(security.aboutRemoving, { name: html`<strong data-text="name"></strong>` })}</p>
${form('remove-factor', security.remove, NOTHING)}
${back(security.keep)}`,
)}
${step(
  'show',
  signIn.showFactor,
  html`<p>${security.stepUp}</p>
<div data-method="passkey">${form('step-up-passkey', signIn.usePasskey, NOTHING)}</div>
${form('step-up', security.continue, field(says, 'step-up', { ...code, name: 'shown', label: fields.anyCode }))}
${back(frame.cancel)}`,
)}
${step(
  'sign-in',
  security.signInFirst,
  html`<p>${security.aboutSignIn}</p>
<p><a class="primary" href="${root}/sign-in?back=${encodeURIComponent(`${root}/security`)}#password">${frame.signIn}</a></p>`,
)}
${step('trouble', security.trouble, form('retry', frame.retry, NOTHING))}`,
  }
}
