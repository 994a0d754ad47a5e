import { type Html, html } from '../../core/text/html.ts'

/** Text of our own in which code stands between backticks. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}
