import { type Html, html, NOTHING } from '../core/text/html.ts'
import { type Facts, field, form, type Page, step } from './layout.ts'

/** `/set-up`: where a setup link leads, for a person without an account. */
export function setUp(facts: Facts): Page {
  const { says } = facts
  const { frame, setUp } = says
  return {
    title: setUp.title,
    script: 'set-up.js',
    content: html`
${step('opening', frame.oneMoment, NOTHING, { shown: true })}
${step(
  'open',
  setUp.title,
  html`<p>${setUp.about}</p>
<p class="quiet">${setUp.once}</p>
${form('open-setup', setUp.begin, NOTHING)}`,
)}
${stage(
  facts,
  'domains',
  setUp.domains,
  html`<p>${setUp.aboutDomains}</p>
<ul class="entered" data-domains></ul>
${form('check-domain', setUp.addDomain, field(says, 'check-domain', { ...TYPED, name: 'name', label: setUp.domain, hint: setUp.domainHint }))}`,
)}
${stage(
  facts,
  'provider',
  setUp.provider,
  html`<p>${setUp.aboutProvider}</p>
<div data-when="entered"><p><strong data-text="kind"></strong>: <code data-text="issuer"></code></p>
<p role="status" data-text="tested"></p>
<div data-when="changeable">${form('test-provider', setUp.test, NOTHING)}</div></div>
<div data-when="changeable">
<p><a class="secondary" href="#oidc">${setUp.byOpenId}</a></p>
<p><a class="secondary" href="#saml">${setUp.bySaml}</a></p>
</div>`,
)}
${step(
  'oidc',
  setUp.byOpenId,
  html`<p>${setUp.register}</p>
${values([[setUp.redirectUri, 'redirectUri']])}
${form(
  'enter-oidc',
  setUp.save,
  html`${field(says, 'enter-oidc', { ...TYPED, name: 'oidc.issuer', label: setUp.issuer, hint: setUp.issuerHint })}
${field(says, 'enter-oidc', { ...TYPED, name: 'oidc.clientId', label: setUp.clientId })}
${field(says, 'enter-oidc', { ...TYPED, type: 'password', name: 'oidc.clientSecret', label: setUp.clientSecret, hint: setUp.secretHint })}`,
)}
${back('provider', frame.cancel)}`,
)}
${step(
  'saml',
  setUp.bySaml,
  html`<p>${setUp.register}</p>
${values([
  [setUp.acsUrl, 'redirectUri'],
  [setUp.entityId, 'ownEntityId'],
])}
${form('enter-saml', setUp.save, metadataField(facts))}
${back('provider', frame.cancel)}`,
)}
${stage(
  facts,
  'directory',
  setUp.directory,
  html`<p>${setUp.aboutDirectory}</p>
${values([[setUp.baseUrl, 'url']])}
<p data-when="has-key">${setUp.hasKey}</p>
<div data-when="key" role="status"><p>${setUp.keyOnce}</p><p><code class="secret" data-text="key"></code></p></div>
${form('make-key', setUp.makeKey, NOTHING)}`,
)}
${step(
  'finish',
  setUp.finish,
  html`<p>${setUp.aboutFinish}</p>
<ul class="entered" data-done></ul>
${form('finish-setup', setUp.finish, NOTHING)}
<p class="aside" data-back></p>`,
)}
${step('finished', setUp.finished, html`<p>${setUp.aboutFinished}</p><p class="quiet">${frame.mayClose}</p>`)}
${step('elsewhere', frame.deadLink, html`<p>${setUp.elsewhere}</p>`)}
${step('dead', frame.deadLink, html`<p>${setUp.dead}</p>`)}
${step('trouble', setUp.trouble, form('retry', frame.retry, NOTHING))}`,
  }
}

const TYPED = { type: 'text', autocomplete: 'off' } as const

/** The step of one purpose of the link, which leads to the next one. */
function stage({ says: { setUp } }: Facts, name: string, heading: string, content: Html): Html {
  return step(
    name,
    heading,
    html`<p class="quiet" data-text="stage"></p>
${content}
${form(`leave-${name}`, setUp.goOn, NOTHING)}
<p class="aside" data-back></p>`,
  )
}

/** The values to enter at the provider. */
function values(rows: [label: string, name: string][]): Html {
  return html`<dl class="values">
${rows.map(([label, name]) => html`<div><dt>${label}</dt><dd><code data-text="${name}"></code></dd></div>`)}
</dl>`
}

/** The metadata of a SAML provider, which people paste. */
function metadataField({ says: { setUp } }: Facts): Html {
  const id = 'enter-saml-metadata'
  return html`<div class="field">
<label for="${id}">${setUp.metadata}</label>
<p class="hint" id="${id}-hint">${setUp.metadataHint}</p>
<textarea id="${id}" name="saml.metadata" rows="8" spellcheck="false" autocomplete="off" aria-describedby="${id}-hint ${id}-error" required></textarea>
<p class="error" id="${id}-error"></p>
</div>`
}

const back = (name: string, words: string) => html`<p class="aside"><a href="#${name}">${words}</a></p>`
