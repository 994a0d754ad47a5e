import { type Html, html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import type { PageMessages } from '../messages/pages/en.ts'
import { type Facts, form, linkTo, type Page, step } from './layout.ts'

/** `/consent?request=`: shows the request of an application, and lets the person grant or refuse it. */
export function consent({ root, product, hasSession, says }: Facts): Page {
  const { frame, consent } = says
  const client = html`<strong data-text="client"></strong>`
  const asks = { client, product: product.name, email: html`<strong data-text="email"></strong>` }
  return {
    title: consent.title,
    script: 'consent.js',
    content: html`
${step('opening', frame.oneMoment, html`<p role="status">${consent.opening}</p>`, { shown: hasSession })}
${step(
  'ask',
  consent.title,
  html`<p>${fillHtml(consent.asks, asks)}</p>
<p class="problem" data-when="unregistered" hidden>${consent.unregistered}</p>
<p>${fillHtml(consent.sentBackTo, { host: html`<strong data-text="host"></strong>` })}</p>
${form('consent', consent.connect, grantFields(says))}
${form('refuse', frame.cancel, NOTHING)}`,
)}
${step(
  'again',
  consent.newSignIn,
  html`<p>${fillHtml(consent.aboutNewSignIn, { client })}</p>
${form('sign-in-again', consent.newSignIn, NOTHING)}
${form('refuse-again', frame.cancel, NOTHING)}`,
)}
${step(
  'nothing',
  consent.nothing,
  html`<p>${fillHtml(consent.aboutNothing, { client })}</p>
${form('refuse-nothing', consent.goBack, NOTHING)}`,
)}
${step('done', frame.oneMoment, html`<p role="status">${consent.done}</p>`)}
${step(
  'dead',
  consent.dead,
  html`<p data-text="why">${consent.why}</p>
<ul>
<li>${consent.beginAnew}</li>
<li>${fillHtml(consent.seeConnected, { link: linkTo(`${root}/sign-in`) })}</li>
</ul>`,
  { shown: !hasSession },
)}`,
  }
}

/** The fields of the form `consent`, filled by `assets/grant.js`: the organization and the scopes. */
export function grantFields({ consent }: Pick<PageMessages, 'consent'>): Html {
  return html`<div class="field" data-part="organizations"><label for="consent-organization">${consent.organization}</label>
<select id="consent-organization" name="organization"></select></div>
<p data-text="identity"></p>
<fieldset data-part="scopes"><legend>${consent.may}</legend><div data-scopes></div></fieldset>
<p class="quiet" data-text="lasting"></p>`
}
