import { html } from '../core/text/html.ts'
import { type Facts, field, form, type Page, providerButtons, signedIn, step } from './layout.ts'

const EMAIL = { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email' } as const

/** `/sign-in`: password, mailed link or provider; a forgotten password; who is signed in, and the way out. */
export function signIn({ providers, hasSession, consolePath }: Facts): Page {
  return {
    title: 'Sign in',
    script: 'sign-in.js',
    content: html`
${step('opening', 'One moment', html`<p role="status">Looking for your session…</p>`, { shown: hasSession })}
${step(
  'password',
  'Sign in',
  html`<p class="notice" data-when="invitation" hidden>Sign in, and your invitation is accepted with it.</p>
${form(
  'sign-in',
  'Sign in',
  html`${field('sign-in', EMAIL)}
${field('sign-in', { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}`,
)}
${providerButtons(providers)}
<p class="aside"><a href="#link">Mail me a link instead</a> <a href="#forgot">Forgot the password?</a></p>`,
  { shown: !hasSession },
)}
${step(
  'link',
  'Sign in without a password',
  html`<p>We send a link and a code to your address.</p>
${form('ask-link', 'Mail me a link', field('ask-link', EMAIL))}
<p class="aside"><a href="#password">Back to the password</a></p>`,
)}
${step(
  'code',
  'Look into your mail',
  html`<p>If <strong data-text="email"></strong> has an account, a mail is on its way. Open its link in this browser, or type its code here.</p>
${form('type-code', 'Sign in', field('type-code', { name: 'code', label: 'Code', type: 'text', autocomplete: 'one-time-code', hint: '8 letters and digits. Good for 10 minutes.' }))}
<p class="aside"><a href="#link">Use another address</a></p>`,
)}
${step(
  'forgot',
  'Forgot your password?',
  html`<p>We send a link with which you choose a new one.</p>
${form('forgot-password', 'Mail me a link', field('forgot-password', EMAIL))}
<p class="aside"><a href="#password">Back to sign-in</a></p>`,
)}
${step(
  'mailed',
  'Look into your mail',
  html`<p>If <strong data-text="email"></strong> has an account, a mail is on its way. Its link works for 30 minutes.</p>
<p class="quiet">Nothing there? Look among the unwanted mails, or check the address.</p>
<p class="aside"><a href="#password">Back to sign-in</a></p>`,
)}
${signedIn({ consolePath }, 'You are signed in')}`,
  }
}
