import { html } from '../core/text/html.ts'
import { type Facts, field, form, type Page, step } from './layout.ts'

/** `/reset-password?token=`: where the mail of a forgotten password leads. */
export function resetPassword({ root }: Facts): Page {
  return {
    title: 'Choose a new password',
    script: 'reset-password.js',
    content: html`
${step(
  'choose',
  'Choose a new password',
  html`<p>You will be signed out everywhere else.</p>
${form(
  'reset-password',
  'Change password',
  field('reset-password', {
    name: 'newPassword',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 8 characters. A few unrelated words make a good one.',
  }),
)}`,
  { shown: true },
)}
${step(
  'done',
  'Password changed',
  html`<p>Your old password no longer works, and all sessions are signed out.</p>
<p><a class="primary" href="${root}/sign-in">Sign in</a></p>`,
)}
${step(
  'dead',
  'This link cannot be used',
  html`<p>It works once, within 30 minutes. Only the latest link works.</p>
<p><a class="primary" href="${root}/sign-in#forgot">Ask for a new link</a></p>`,
)}`,
  }
}
