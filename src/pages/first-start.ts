import { html } from '../core/text/html.ts'
import { fill, fillHtml } from '../core/text/message.ts'
import {
  type Facts,
  field,
  form,
  linkTo,
  nameFields,
  type Page,
  passwordField,
  signedIn,
  step,
  termsField,
} from './layout.ts'

/** `/first-start?token=`: where the link of a first start leads. */
export function firstStart(facts: Facts): Page {
  const { root, product, says } = facts
  const { frame, fields, firstStart } = says
  return {
    title: firstStart.title,
    script: 'first-start.js',
    content: html`
${step(
  'begin',
  fill(firstStart.heading, { product: product.name }),
  html`<p>${firstStart.about}</p>
${form(
  'first-start',
  firstStart.create,
  html`${field(says, 'first-start', { name: 'organization', label: fields.organization, type: 'text', autocomplete: 'organization' })}
${nameFields(facts, 'first-start')}
${field(says, 'first-start', { name: 'email', label: fields.email, type: 'email', autocomplete: 'email' })}
${passwordField(says, 'first-start', 'password', fields.choosePassword)}
${termsField(facts, 'first-start')}`,
)}`,
  { shown: true },
)}
${signedIn(facts, frame.youAreIn)}
${step(
  'dead',
  frame.deadLink,
  html`<p>${firstStart.why}</p>
<ul>
<li>${fillHtml(firstStart.setUp, { link: linkTo(`${root}/sign-in`) })}</li>
<li>${firstStart.restart}</li>
</ul>`,
)}`,
  }
}
