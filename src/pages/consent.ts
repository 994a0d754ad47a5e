import { html, NOTHING } from '../core/text/html.ts'
import { type Facts, form, type Page, step } from './layout.ts'

/** `/consent?request=`: what an application asks a person for, and whether the person grants it. */
export function consent({ root, product, hasSession }: Facts): Page {
  return {
    title: 'Connect an application',
    script: 'consent.js',
    content: html`
${step('opening', 'One moment', html`<p role="status">Reading what the application asks for…</p>`, { shown: hasSession })}
${step(
  'ask',
  'Connect an application',
  html`<p><strong data-text="client"></strong> asks to use ${product.name} as you, <strong data-text="email"></strong>.</p>
<p class="problem" data-when="unregistered" hidden>This application is not registered here, and chose its name itself. Connect it only if you started this yourself.</p>
<p>You are sent back to <strong data-text="host"></strong>.</p>
${form(
  'consent',
  'Connect',
  html`<div class="field" data-part="organizations"><label for="consent-organization">For the organization</label>
<select id="consent-organization" name="organization"></select></div>
<p data-text="identity"></p>
<fieldset data-part="scopes"><legend>It may</legend><div data-scopes></div></fieldset>
<p class="quiet" data-text="lasting"></p>`,
)}
${form('refuse', 'Cancel', NOTHING)}`,
)}
${step(
  'nothing',
  'Nothing to connect',
  html`<p>You are not a member of an organization for which <strong data-text="client"></strong> can be connected.</p>
${form('refuse-nothing', 'Go back', NOTHING)}`,
)}
${step('done', 'One moment', html`<p role="status">You are sent back to the application.</p>`)}
${step(
  'dead',
  'This request cannot be used',
  html`<p data-text="why">It works once, within 30 minutes, in the browser in which the application asked.</p>
<ul>
<li>Begin once more in the application.</li>
<li>See what you have connected: <a href="${root}/sign-in">sign in</a>.</li>
</ul>`,
  { shown: !hasSession },
)}`,
  }
}
