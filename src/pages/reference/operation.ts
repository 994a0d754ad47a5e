import { CATALOGUE } from '../../core/errors.ts'
import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { DOCS_PATH } from '../../http/error-response.ts'
import { bodyOf, curlOf, type SdkNames, sdkOf } from './calls.ts'
import { code } from './code.ts'
import {
  boundsOf,
  type Document,
  membersOf,
  type Placed,
  resolve,
  type Schema,
  slugOf,
  typeOf,
} from './document.ts'
import { errorExample } from './error-example.ts'
import { crumbs, type Site } from './frame.ts'
import { errorsOf } from './operation-errors.ts'
import { prose } from './prose.ts'
import { sampleOf } from './samples.ts'
import { tryForm } from './try-form.ts'

const ACCESS: Record<string, string> = {
  public: 'For everybody, without a key.',
  session: 'For an account that is signed in, by the cookie of its session.',
  member: 'For members and API keys of the organization.',
  administrator: 'For administrators of the organization, and API keys of that role.',
  operator: 'For requests from the machine of the server, or with METRICS_TOKEN.',
  installation: 'For the operator of the server, with OPERATOR_TOKEN.',
}

const STATUSES: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  302: 'Found',
  304: 'Not Modified',
  503: 'Service Unavailable',
}

/** The data for the page of an operation. */
interface Around {
  document: Document
  site: Site
  names: SdkNames
  before: Placed | undefined
  after: Placed | undefined
}

/** One operation: its parameters and body, examples of a call, its answers and its errors. */
export function operationPage(operation: Placed, { document, site, names, before, after }: Around): Html {
  const { operationId, method, path, summary = operationId, description } = operation
  const [tag = ''] = operation.tags ?? []
  const sdk = names.get(`${method} ${path}`)
  const module = operation['x-module']
  return html`${crumbs(site, summary, [[`${site.root}${DOCS_PATH}/${slugOf(tag)}`, tag]])}
<h1>${summary}</h1>
<p class="call"><code><strong>${method}</strong> ${path}</code></p>
${description === undefined ? NOTHING : html`<p>${prose(description)}</p>`}
<p class="quiet">${ACCESS[operation['x-access'] ?? ''] ?? ''}${module === undefined ? '' : ` The plan has to hold the module ${module}.`}</p>
${inputs(operation, document)}
<h2>Example</h2>
${code('curl', curlOf(operation, document))}
${sdk === undefined ? NOTHING : code('SDK', sdkOf(operation, document, sdk))}
${tryForm(operation, document)}
<h2>Answers</h2>
${answers(operation, document)}
<h2>Errors</h2>
${errors(operation, document, site)}
<nav class="turn" aria-label="Other operations">${turn('prev', before, site)}${turn('next', after, site)}</nav>`
}

function turn(rel: 'prev' | 'next', operation: Placed | undefined, { root }: Site): Html {
  if (operation === undefined) return html`<span></span>`
  const { operationId, summary = operationId } = operation
  const words = rel === 'prev' ? 'Previous' : 'Next'
  return html`<a rel="${rel}" href="${root}${DOCS_PATH}/operations/${operationId}"><span class="quiet">${words}</span> ${summary}</a>`
}

interface Row {
  name: string
  schema: Schema
  isOptional: boolean
  place?: string
  words?: string | undefined
}

function inputs(operation: Placed, document: Document): Html {
  const { parameters = [] } = operation
  const body = bodyOf(operation)?.schema
  const rows = parameters.map(({ name, in: place, required, description: words, schema = {} }) => ({
    ...{ name, schema, words },
    isOptional: required !== true,
    place: `, in the ${place}`,
  }))
  if (operation['x-idempotency-key'] === true) rows.push(IDEMPOTENCY_KEY)
  return html`${rows.length === 0 ? NOTHING : html`<h2>Parameters</h2>${fields(rows, document)}`}
${body === undefined ? NOTHING : html`<h2>Body</h2>${shape(body, document)}`}`
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  schema: { type: 'string' },
  words: 'Sent again with the same key and body, the call has its effect once and gets the first answer.',
  isOptional: true,
  place: ', a header',
}

function fields(rows: Row[], document: Document): Html {
  return html`<dl class="shape">${rows.map(({ name, schema, isOptional, place = '', words }) => {
    const bounds = boundsOf(schema, document)
    const type = `${typeOf(schema, document)}${place}${bounds === '' ? '' : `, ${bounds}`}`
    return html`<div><dt><code>${name}</code>${isOptional ? html` <span class="quiet">optional</span>` : NOTHING}</dt><dd><code class="quiet">${type}</code> ${prose(words ?? resolve(schema, document).description ?? '')}</dd></div>`
  })}</dl>`
}

/** The members of a schema, or its type where it has none. */
function shape(given: Schema, document: Document): Html {
  const members = membersOf(given, document)
  if (members.length > 0) return fields(members, document)
  return html`<p><code>${typeOf(given, document)}</code> ${prose(resolve(given, document).description ?? '')}</p>`
}

/** Every status with an example, and what each member means below it; a body like that of an earlier status is shown once. */
function answers({ responses = {} }: Placed, document: Document): Html {
  const rows = Object.entries(responses).filter(([status]) => status !== 'default' && status !== '403')
  const shown = new Map<string, string>()
  return html`${rows.map(([status, { content = {} }]) => {
    const heading = html`<h3>${`${status} ${STATUSES[status] ?? ''}`}</h3>`
    const kinds = Object.entries(content)
    const bodies = JSON.stringify(content)
    const same = shown.get(bodies)
    if (kinds.length > 0 && same !== undefined) return html`${heading}<p>The same body as with ${same}.</p>`
    shown.set(bodies, status)
    if (kinds.length === 0) return html`${heading}<p class="quiet">${WITHOUT_BODY[status] ?? 'No body.'}</p>`
    return html`${heading}${kinds.map(([type, { schema }]) => answer(status, type, schema, document))}`
  })}`
}

const WITHOUT_BODY: Record<string, string> = {
  302: 'No body; the header Location says where the browser goes.',
}

function answer(status: string, type: string, schema: Schema | undefined, document: Document): Html {
  if (schema === undefined || type !== 'application/json')
    return html`<p><code>${type}</code> ${prose(KINDS[type] ?? '')}</p>`
  const example = JSON.stringify(sampleOf(schema, document, { isWhole: true }), null, 2)
  return html`${code(`${status} ${type}`, example)}<details class="members"><summary>Members<span class="unseen"> of the answer ${status}</span></summary>${shape(schema, document)}</details>`
}

/** Contents of answers that are not JSON. */
const KINDS: Record<string, string> = {
  'text/csv': 'The same list as a table, with `Accept: text/csv`.',
  'text/event-stream': 'Server-sent events, as they happen.',
  'text/plain': 'Text.',
  'text/html': 'A page for people.',
  'application/octet-stream': 'The bytes, with the `Content-Type` of the file.',
}

function errors(operation: Placed, document: Document, { root, baseUrl }: Site): Html {
  const rows = errorsOf(operation, document)
  return html`<dl class="shape">${rows.map((one) => {
    const { status, meaning } = CATALOGUE[one]
    const example = errorExample(one, operation, document, baseUrl)
    return html`<div><dt>${String(status)} <a href="${root}/v1/errors/${one}"><code>${one}</code></a></dt><dd>${prose(meaning)}<details><summary>Example<span class="unseen"> of ${one}</span></summary>${code(String(status), example)}</details></dd></div>`
  })}</dl>`
}
