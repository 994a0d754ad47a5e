import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, providerButtons, signedIn, step } from './layout.ts'

const EMAIL = { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email' } as const

/** `/sign-in`: password, mailed link or provider; a forgotten password; the signed-in account, and signing out. */
export function signIn({ providers, hasSession, consolePath }: Facts): Page {
  return {
    title: 'Sign in',
    script: 'sign-in.js',
    content: html`
${step('opening', 'One moment', html`<p role="status">Checking your session…</p>`, { shown: hasSession })}
${step(
  'password',
  'Sign in',
  html`<p class="notice" data-when="invitation" hidden>Sign in to accept your invitation.</p>
${form(
  'sign-in',
  'Sign in',
  html`${field('sign-in', EMAIL)}
${field('sign-in', { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}`,
)}
<div data-passkeys hidden>${form('sign-in-passkey', 'Sign in with a passkey', NOTHING)}</div>
${providerButtons(providers)}
<p class="aside"><a href="#link">E-mail me a link</a> <a href="#forgot">Forgot your password?</a></p>`,
  { shown: !hasSession },
)}
${step(
  'link',
  'Sign in without a password',
  html`<p>We will e-mail you a link and a code.</p>
${form('ask-link', 'E-mail me a link', field('ask-link', EMAIL))}
<p class="aside"><a href="#password">Sign in with a password</a></p>`,
)}
${step(
  'code',
  'Check your inbox',
  html`<p>If <strong data-text="email"></strong> has an account, we have sent a mail. Open its link in this browser, or enter its code here.</p>
${form('type-code', 'Sign in', field('type-code', { name: 'code', label: 'Code', type: 'text', autocomplete: 'one-time-code', hint: '8 letters and digits. Valid for 10 minutes.' }))}
<p class="aside"><a href="#link">Use another address</a></p>`,
)}
${step(
  'forgot',
  'Forgot your password?',
  html`<p>We will e-mail you a link to choose a new one.</p>
${form('forgot-password', 'E-mail me a link', field('forgot-password', EMAIL))}
<p class="aside"><a href="#password">Back to sign-in</a></p>`,
)}
${step(
  'mailed',
  'Check your inbox',
  html`<p>If <strong data-text="email"></strong> has an account, we have sent a mail. Its link works for 30 minutes.</p>
<p class="quiet">No mail? Check the spam folder and the address.</p>
<p class="aside"><a href="#password">Back to sign-in</a></p>`,
)}
${step(
  'second-factor',
  'Show your second factor',
  html`<div data-method="totp"><p>Enter the six digits that your authenticator app shows.</p>
${form('show-totp', 'Sign in', field('show-totp', { name: 'totp', label: 'Code of the app', type: 'text', autocomplete: 'one-time-code' }))}</div>
<div data-method="passkey"><p>Your device asks you to confirm that it is you.</p>
${form('show-passkey', 'Use your passkey', NOTHING)}</div>
<p class="aside"><a href="#recovery" data-method="recovery_code">Use a recovery code</a> <a href="#password">Sign in as somebody else</a></p>`,
)}
${step(
  'recovery',
  'Use a recovery code',
  html`<p>Each of the codes that you kept when you added your second factor works once.</p>
${form('show-recovery', 'Sign in', field('show-recovery', { name: 'recoveryCode', label: 'Recovery code', type: 'text', autocomplete: 'one-time-code', hint: '16 letters and digits.' }))}
<p class="aside"><a href="#second-factor">Use another factor</a></p>`,
)}
${signedIn({ consolePath }, 'You are signed in')}`,
  }
}
