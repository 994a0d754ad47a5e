import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { type Document, type Placed, resolve, type Schema, typeOf } from './document.ts'
import { sampleOf } from './samples.ts'

/** Operations that read by a body, and those that another call can undo. */
const HARMLESS = new Set([
  'addDocument',
  'changeAccount',
  'closeCaptureWindow',
  'createAgent',
  'createApiKey',
  'createConversation',
  'createEventType',
  'createKnowledgeBase',
  'createMcpServer',
  'createWebhook',
  'indexDocument',
  'openCaptureWindow',
  'processFile',
  'renameOrganization',
  'searchKnowledgeBase',
  'updateAgent',
  'updateEventType',
  'updateKnowledgeBase',
  'updateMcpServer',
  'updateWebhook',
  'uploadFile',
])

/** A form that makes one call with the session of the browser; `try.js` sends it. */
export function tryForm(operation: Placed, document: Document): Html {
  const { operationId, method, path, parameters = [], requestBody, responses = {} } = operation
  const [type, body] =
    Object.entries(requestBody?.content ?? {}).find(([one]) => one !== 'multipart/form-data') ?? []
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const answers = Object.keys(success?.content ?? {})
  const asks = method === 'GET' || HARMLESS.has(operationId) ? NOTHING : html` data-asks`
  const idOf = (name: string) => `try-${operationId}-${name}`
  return html`<details class="try"><summary>Try it<span class="unseen">: ${operation.summary ?? operationId}</span></summary>
<form data-method="${method}" data-path="${path}" data-access="${operation['x-access'] ?? ''}" data-name="${operation.summary ?? operationId}"${asks}>
<p class="try-who" hidden></p>
${parameters.map(({ name, in: place, required, schema = {} }) => {
  const own = { id: idOf(name), name, place, isRequired: required === true || place === 'path' }
  return field({ ...own, input: inputOf(own, schema, document) })
})}
${type === undefined ? NOTHING : bodyField(idOf('body'), type, body?.schema, document)}
${answers.length < 2 ? NOTHING : answerField(idOf('accept'), answers)}
<p class="row"><button class="primary" disabled>Send</button> <button type="button" class="secondary" data-stop hidden>Stop</button></p>
</form>
<section class="answer" aria-label="The answer" tabindex="-1" hidden>
<p role="status"></p>
<details><summary>Headers</summary><pre tabindex="0" aria-label="Headers of the answer"><code></code></pre></details>
<pre tabindex="0" aria-label="Body of the answer"><code></code></pre>
<p class="row"><button type="button" class="secondary" data-save hidden>Save the body</button></p>
</section>
</details>${asks === NOTHING ? NOTHING : CONFIRM}`
}

interface Field {
  id: string
  name: string
  place: string
  isRequired: boolean
  input: Html
}

function field({ id, name, place, isRequired, input }: Field): Html {
  return html`<div class="try-field"><label for="${id}"><code>${name}</code> <span class="quiet">${place}${isRequired ? '' : ', optional'}</span></label>${input}</div>`
}

function inputOf(
  { id, name, place, isRequired }: Omit<Field, 'input'>,
  given: Schema,
  document: Document,
): Html {
  const schema = resolve(given, document)
  const [fixed] = [schema.enum ?? (schema.type === 'boolean' ? [true, false] : [])]
  const required = isRequired ? html` required` : NOTHING
  if (fixed.length > 0)
    return html`<select id="${id}" name="${name}" data-in="${place}"${required}>${isRequired ? NOTHING : html`<option value="">–</option>`}${fixed.map((one) => html`<option>${String(one)}</option>`)}</select>`
  return html`<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false" placeholder="${typeOf(schema, document)}"${required}>`
}

/** JSON and text are written, everything else is a file. */
function bodyField(id: string, type: string, schema: Schema | undefined, document: Document): Html {
  const isJson = type === 'application/json'
  const input = isJson
    ? html`<textarea id="${id}" data-in="body" data-type="${type}" rows="8" spellcheck="false">${JSON.stringify(sampleOf(schema, document), null, 2)}</textarea>`
    : html`<input id="${id}" type="file" data-in="body" data-type="${type}">`
  return field({ id, name: 'body', place: isJson ? 'JSON' : 'a file', isRequired: true, input })
}

function answerField(id: string, types: string[]): Html {
  const input = html`<select id="${id}" name="accept" data-in="header">${types.map((one) => html`<option>${one}</option>`)}</select>`
  return field({ id, name: 'accept', place: 'what the answer is', isRequired: true, input })
}

/** The dialog that asks before a call that cannot be undone. */
const CONFIRM = html`<dialog id="try-confirm" aria-labelledby="try-confirm-heading">
<h2 id="try-confirm-heading"></h2>
<p></p>
<form method="dialog" class="row"><button class="secondary" value="" autofocus>Cancel</button> <button class="primary" value="yes">Send it</button></form>
</dialog>`
