import { type Html, html } from '../../core/text/html.ts'

/** A piece of code with a caption; it takes the focus, so that the keyboard scrolls in it. */
export function code(label: string, text: string): Html {
  return html`<figure><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></figure>`
}
