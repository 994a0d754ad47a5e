import { html, NOTHING } from '../core/text/html.ts'
import type { Facts, Page } from './layout.ts'
import { step } from './layout.ts'

/**
 * `/checkout?id=`: where a checkout without a payment provider leads, and where a provider sends people back to. What was
 * paid, has ended or never was is said whatever the address claims.
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
  'Your order is noted',
  html`<p>Whoever runs this server takes the payment and then settles the order. What you ordered comes with that.</p>
${number}
<p class="aside">You run it? Once the money is there: <code>npx postern credits --settle <span data-text="id"></span></code></p>`,
  { shown: status === 'open' },
)}
${step(
  'unknown',
  'There is no such order',
  html`<p>The address of this page is incomplete, or the order was removed long after it had ended. Begin again where you came from.</p>`,
  { shown: status === undefined },
)}
${step(
  'paid',
  'Your order is paid',
  html`<p>What you ordered has come.</p>
${number}`,
  { shown: status === 'paid' },
)}
${step(
  'refunded',
  'Your order was paid back',
  html`<p>What you had ordered was taken back with it.</p>
${number}`,
  { shown: status === 'refunded' },
)}
${step(
  'expired',
  'Your order has ended',
  html`<p>Nobody paid it in time. Begin again whenever you like.</p>
${number}`,
  { shown: status === 'expired' },
)}
${step(
  'completed',
  'Thank you',
  html`<p>What you ordered comes as soon as the payment is confirmed, most often within seconds.</p>
${number}`,
)}
${step(
  'cancelled',
  'Nothing was paid',
  html`<p>You left before the payment. Begin again whenever you like.</p>
${number}`,
)}
${consolePath === undefined ? NOTHING : html`<p class="aside"><a href="${consolePath}">Back to the console</a></p>`}`,
  }
}
