import { html } from '../core/html.ts'
import type { Facts, Page } from './layout.ts'
import { step } from './layout.ts'

/** `/checkout?id=`: where a checkout without a payment provider leads, and where a provider sends people back to. */
export function checkout(_facts: Facts): Page {
  const number = html`<p class="quiet">Checkout <code data-text="id"></code></p>`
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
  { shown: true },
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
)}`,
  }
}
