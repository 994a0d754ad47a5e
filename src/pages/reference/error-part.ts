import { exampleAnswer, GUIDE } from '../../core/error-guide.ts'
import { CATALOGUE, type ErrorCode } from '../../core/errors.ts'
import { type Html, html } from '../../core/text/html.ts'
import { code } from './code.ts'
import { prose } from './prose.ts'

/**
 * The meaning of a code, its causes, the next step, and an example answer.
 * @param level of the headings in it
 */
export function errorPart(one: ErrorCode, baseUrl: string, level: 'h2' | 'h3'): Html {
  const { status, meaning } = CATALOGUE[one]
  const { causes, steps } = GUIDE[one]
  const heading = (words: string) => (level === 'h2' ? html`<h2>${words}</h2>` : html`<h3>${words}</h3>`)
  return html`<p class="call"><code>HTTP ${String(status)}</code></p>
<p>${prose(meaning)}</p>
${heading('Causes')}
<ul class="points">${causes.map((cause) => html`<li>${prose(cause)}</li>`)}</ul>
${heading('What to do')}
<ol class="points">${steps.map((step) => html`<li>${prose(step)}</li>`)}</ol>
${heading('Example')}
${code(`An answer with ${one}`, JSON.stringify(exampleAnswer(one, baseUrl), null, 2))}`
}
