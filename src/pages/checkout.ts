import { html, NOTHING } from '../core/text/html.ts'
import type { Facts, Page } from './layout.ts'
import { step } from './layout.ts'

/**
 * `/checkout?id=`: the page of a checkout without a payment provider, and the page to which a provider sends people back. It shows
 * the state of the order from the database, whatever the address claims.
 */
export function checkout({ order, consolePath }: Facts): Page {
  const of = order?.organization === undefined ? NOTHING : html` of ${order.organization}`
  const number = html`<p class="quiet">Checkout${of}: <code data-text="id"></code></p>`
  const status = order?.status
  return {
    title: 'Checkout',
    script: 'checkout.js',
    content: html`
${step(
  'open',
  'Order received',
  html`<p>The operator of this server settles the order. Then you get what you ordered.</p>
${number}
<p class="aside">Are you the operator? Settle it with <code>npx postern credits --settle <span data-text="id"></span></code></p>`,
  { shown: status === 'open' },
)}
${step(
  'unknown',
  'Order not found',
  html`<p>The address is incomplete, or the order was removed. Start again from the page you came from.</p>`,
  { shown: status === undefined },
)}
${step(
  'paid',
  'Order complete',
  html`<p>Your organization has what you ordered.</p>
${number}`,
  { shown: status === 'paid' },
)}
${step(
  'refunded',
  'Order refunded',
  html`<p>What you ordered was taken back.</p>
${number}`,
  { shown: status === 'refunded' },
)}
${step(
  'expired',
  'Order expired',
  html`<p>It was not settled in time. You can start again at any time.</p>
${number}`,
  { shown: status === 'expired' },
)}
${step(
  'completed',
  'Thank you',
  html`<p>You get what you ordered as soon as the payment is confirmed, usually within seconds.</p>
${number}`,
)}
${step(
  'cancelled',
  'Nothing was paid',
  html`<p>You left before paying. You can start again at any time.</p>
${number}`,
)}
${consolePath === undefined ? NOTHING : html`<p class="aside"><a href="${consolePath}">Back to the console</a></p>`}`,
  }
}
