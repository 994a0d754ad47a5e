import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, signedIn, step } from './layout.ts'

/** `/magic-link?token=`: signs in at the press of a button, and asks other browsers for the code. */
export function magicLink({ root, consolePath }: Facts): Page {
  return {
    title: 'Sign in',
    script: 'magic-link.js',
    content: html`
${step(
  'open',
  'Welcome back',
  html`<p>Press the button to sign in.</p>
${form('open-link', 'Sign in', NOTHING)}
<p class="quiet">You did not ask for this link? Close this page. Nobody is signed in.</p>`,
  { shown: true },
)}
${step(
  'code',
  'Enter the code',
  html`<p>You opened the link in another browser than the one that asked for it. Enter the code from the same mail.</p>
${form('type-code', 'Sign in', field('type-code', { name: 'code', label: 'Code', type: 'text', autocomplete: 'one-time-code', hint: '8 letters and digits, below the link in the mail.' }))}
<p class="quiet">Enter it only if you asked for the link yourself. It works once, within 10 minutes. <a href="${root}/sign-in#link">Ask for a new one</a>.</p>`,
)}
${signedIn({ consolePath }, 'You are signed in')}
${step(
  'dead',
  'This link cannot be used',
  html`<p>The address is incomplete. Open the link in the mail again, or ask for a new one.</p>
<p><a class="primary" href="${root}/sign-in#link">Ask for a new link</a></p>`,
)}`,
  }
}
