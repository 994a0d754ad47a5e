import { html, NOTHING } from '../core/text/html.ts'
import { fill, fillHtml } from '../core/text/message.ts'
import { grantFields } from './consent.ts'
import { type Facts, field, form, type Page, step } from './layout.ts'

/** `/device`: accepts the code that a device shows, and lets the person grant its request (RFC 8628). */
export function device({ product, says }: Facts): Page {
  const { frame, fields, consent, security, device } = says
  const code = html`<strong class="code" data-text="code"></strong>`
  const asks = { code, product: product.name, email: html`<strong data-text="email"></strong>` }
  const client = html`<strong data-text="client"></strong>`
  return {
    title: device.title,
    script: 'device.js',
    content: html`
${step('opening', frame.oneMoment, html`<p role="status">${device.opening}</p>`, { shown: true })}
${step(
  'enter',
  device.title,
  html`<p>${device.about}</p>
<p class="problem">${fill(device.warning, { product: product.name })}</p>
${form(
  'device',
  security.continue,
  field(says, 'device', {
    ...{ name: 'userCode', label: fields.deviceCode, type: 'text', autocomplete: 'one-time-code' },
    hint: device.codeHint,
  }),
)}`,
)}
${step(
  'ask',
  device.yours,
  html`<p>${fillHtml(device.asks, asks)}</p>
<dl class="facts">
<dt>${device.client}</dt><dd data-text="client"></dd>
<dt>${device.program}</dt><dd data-text="program"></dd>
<dt>${device.address}</dt><dd data-text="address"></dd>
<dt>${device.asked}</dt><dd data-text="asked"></dd>
</dl>
<p class="problem" data-when="elsewhere" hidden>${device.elsewhere}</p>
<p class="problem" data-when="unregistered" hidden>${device.unregistered}</p>
<p>${device.onlyYours}</p>
${form('consent', consent.connect, grantFields(says))}
${form('refuse', frame.cancel, NOTHING)}`,
)}
${step(
  'nothing',
  consent.nothing,
  html`<p>${fillHtml(consent.aboutNothing, { client })}</p>
${form('refuse-nothing', frame.cancel, NOTHING)}`,
)}
${step('done', device.done, html`<p>${device.aboutDone}</p>`)}
${step('refused', device.refused, html`<p>${device.aboutRefused}</p>`)}
`,
  }
}
