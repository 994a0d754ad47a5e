import { html, NOTHING } from '../core/text/html.ts'
import { fillHtml } from '../core/text/message.ts'
import type { Facts, Page } from './layout.ts'
import { step } from './layout.ts'

/**
 * `/checkout?id=`: the page of a checkout without a payment provider, and the page to which a provider sends people back. It shows
 * the state of the order from the database, whatever the address claims.
 */
export function checkout({ order, consolePath, says: { checkout } }: Facts): Page {
  const id = html`<code data-text="id"></code>`
  const organization = order?.organization
  const number = html`<p class="quiet">${organization === undefined ? fillHtml(checkout.number, { id }) : fillHtml(checkout.numberOf, { organization, id })}</p>`
  const command = html`<code>npx postern credits --settle <span data-text="id"></span></code>`
  const status = order?.status
  return {
    title: checkout.title,
    script: 'checkout.js',
    content: html`
${step(
  'open',
  checkout.open,
  html`<p>${checkout.aboutOpen}</p>
${number}
<p class="aside">${fillHtml(checkout.settle, { command })}</p>`,
  { shown: status === 'open' },
)}
${step('unknown', checkout.unknown, html`<p>${checkout.aboutUnknown}</p>`, { shown: status === undefined })}
${step(
  'paid',
  checkout.paid,
  html`<p>${checkout.aboutPaid}</p>
${number}`,
  { shown: status === 'paid' },
)}
${step(
  'refunded',
  checkout.refunded,
  html`<p>${checkout.aboutRefunded}</p>
${number}`,
  { shown: status === 'refunded' },
)}
${step(
  'expired',
  checkout.expired,
  html`<p>${checkout.aboutExpired}</p>
${number}`,
  { shown: status === 'expired' },
)}
${step(
  'completed',
  checkout.completed,
  html`<p>${checkout.aboutCompleted}</p>
${number}`,
)}
${step(
  'cancelled',
  checkout.cancelled,
  html`<p>${checkout.aboutCancelled}</p>
${number}`,
)}
${consolePath === undefined ? NOTHING : html`<p class="aside"><a href="${consolePath}">${checkout.backToConsole}</a></p>`}`,
  }
}
