import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import { type Facts, field, form, type Page, providerButtons, signedIn, step } from './layout.ts'

/** `/sign-in`: password, mailed link, provider or organization; a forgotten password; the signed-in account, and signing out. */
export function signIn(facts: Facts): Page {
  const { hasSession, root, says } = facts
  const { frame, fields, signIn } = says
  const address = { name: 'email', label: fields.email, type: 'email', autocomplete: 'email' } as const
  const password = { name: 'password', label: fields.password, type: 'password' } as const
  const code = { type: 'text', autocomplete: 'one-time-code' } as const
  const email = html`<strong data-text="email"></strong>`
  return {
    title: frame.signIn,
    script: 'sign-in.js',
    content: html`
${step('opening', frame.oneMoment, html`<p role="status">${signIn.checking}</p>`, { shown: hasSession })}
${step(
  'password',
  frame.signIn,
  html`<p class="notice" data-when="invitation" hidden>${signIn.toAccept}</p>
${form(
  'sign-in',
  frame.signIn,
  html`${field(says, 'sign-in', address)}
${field(says, 'sign-in', { ...password, autocomplete: 'current-password' })}`,
)}
<div data-passkeys hidden>${form('sign-in-passkey', signIn.withPasskey, NOTHING)}</div>
${providerButtons(facts)}
<p class="aside"><a href="#organization">${signIn.withOrganization}</a></p>
<p class="aside"><a href="#link">${signIn.mailLink}</a> <a href="#forgot">${signIn.forgot}</a></p>`,
  { shown: !hasSession },
)}
${step(
  'organization',
  signIn.withOrganization,
  html`<p>${signIn.aboutOrganization}</p>
${form('sign-in-sso', signIn.goOn, field(says, 'sign-in-sso', address))}
<p class="aside"><a href="#password">${signIn.back}</a></p>`,
)}
${step(
  'link',
  signIn.withoutPassword,
  html`<p>${signIn.linkAndCode}</p>
${form('ask-link', signIn.mailLink, field(says, 'ask-link', address))}
<p class="aside"><a href="#password">${signIn.withPassword}</a></p>`,
)}
${step(
  'code',
  signIn.inbox,
  html`<p>${fillHtml(signIn.codeMailed, { email })}</p>
${form('type-code', frame.signIn, field(says, 'type-code', { ...code, name: 'code', label: fields.code, hint: signIn.codeHint }))}
<p class="aside"><a href="#link">${signIn.otherAddress}</a></p>`,
)}
${step(
  'forgot',
  signIn.forgot,
  html`<p>${signIn.resetMail}</p>
${form('forgot-password', signIn.mailLink, field(says, 'forgot-password', address))}
<p class="aside"><a href="#password">${signIn.back}</a></p>`,
)}
${step(
  'mailed',
  signIn.inbox,
  html`<p>${fillHtml(signIn.resetMailed, { email })}</p>
<p class="quiet">${signIn.noMail}</p>
<p class="aside"><a href="#password">${signIn.back}</a></p>`,
)}
${step(
  'second-factor',
  signIn.showFactor,
  html`<div data-method="totp"><p>${signIn.showApp}</p>
${form('show-totp', frame.signIn, field(says, 'show-totp', { ...code, name: 'totp', label: fields.appCode }))}</div>
<div data-method="passkey"><p>${signIn.showPasskey}</p>
${form('show-passkey', signIn.usePasskey, NOTHING)}</div>
<p class="aside"><a href="#recovery" data-method="recovery_code">${signIn.useRecoveryCode}</a> <a href="#password">${signIn.asSomebodyElse}</a></p>`,
)}
${step(
  'recovery',
  signIn.useRecoveryCode,
  html`<p>${signIn.aboutRecovery}</p>
${form('show-recovery', frame.signIn, field(says, 'show-recovery', { ...code, name: 'recoveryCode', label: fields.recoveryCode, hint: fields.recoveryCodeHint }))}
<p class="aside"><a href="#second-factor">${signIn.otherFactor}</a></p>`,
)}
${step(
  'add-factor',
  signIn.addFactor,
  html`<p>${signIn.aboutAdding}</p>
<ul class="organizations" data-list="due"></ul>
<p><a class="primary" href="${root}/security" data-add-factor>${signIn.addNow}</a></p>
<p><button type="button" class="secondary" id="add-later">${signIn.addLater}</button></p>`,
)}
${signedIn(facts, frame.youAreSignedIn)}`,
  }
}
