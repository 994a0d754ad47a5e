import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { code } from './code.ts'
import { type Document, type Placed, resolve, type Schema, sampleOf, typeOf } from './document.ts'
import { tryForm } from './try-form.ts'

/** The method of the SDK by what it calls: `POST /v1/webhooks` → `webhooks.create`. */
export type SdkNames = ReadonlyMap<string, string>

const ACCESS: Record<string, string> = {
  public: 'For everybody, without a key.',
  session: 'For who is signed in, by the session’s cookie.',
  member: 'For members of the organization.',
  administrator: 'For administrators of the organization.',
  operator: 'For this machine, or with METRICS_TOKEN.',
  installation: 'For whoever runs the server, with OPERATOR_TOKEN.',
}

/** One operation: what it takes, what it answers, and how it is called. */
export function operationPart(operation: Placed, document: Document, names: SdkNames): Html {
  const { operationId, method, path, summary = operationId, description, parameters = [] } = operation
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const module = operation['x-module']
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-heading">
<h2 id="${operationId}-heading">${summary}</h2>
<p class="call"><code><strong>${method}</strong> ${path}</code></p>
${description === undefined ? NOTHING : html`<p>${description}</p>`}
<p class="quiet">${ACCESS[operation['x-access'] ?? ''] ?? ''}${module === undefined ? '' : ` The plan has to hold ${module}.`}</p>
${
  parameters.length === 0
    ? NOTHING
    : html`<h3>Parameters</h3>${fields(
        parameters.map(({ name, in: place, required, description: words, schema = {} }) => ({
          name,
          type: `${typeOf(schema)}, in the ${place}`,
          isOptional: required !== true,
          words: words ?? schema.description ?? '',
        })),
      )}`
}
${body === undefined ? NOTHING : html`<h3>Body</h3>${shape(body, document)}`}
<h3>Answers</h3>
${answers(operation, document)}
<h3>Example</h3>
${code('curl', curlOf(operation, body, document))}
${names.has(`${method} ${path}`) ? code('SDK', sdkOf(operation, body, document, names)) : NOTHING}
${tryForm(operation, document)}
</section>`
}

interface Row {
  name: string
  type: string
  isOptional: boolean
  words: string
}

function fields(rows: Row[]): Html {
  return html`<dl class="shape">${rows.map(
    ({ name, type, isOptional, words }) =>
      html`<div><dt><code>${name}</code>${isOptional ? html` <span class="quiet">optional</span>` : NOTHING}</dt><dd><code class="quiet">${type}</code> ${words}</dd></div>`,
  )}</dl>`
}

/** The members of a schema, or what it is where it has none. */
function shape(given: Schema, document: Document): Html {
  const schema = resolve(given, document)
  const listed = schema.items === undefined ? schema : resolve(schema.items, document)
  const rows = Object.entries(listed.properties ?? {}).map(([name, one]) => ({
    name,
    type: typeOf(one),
    isOptional: listed.required?.includes(name) !== true,
    words: one.description ?? '',
  }))
  if (rows.length === 0) return html`<p><code>${typeOf(given)}</code> ${schema.description ?? ''}</p>`
  return fields(rows)
}

function answers({ responses = {} }: Placed, document: Document): Html {
  const rows = Object.entries(responses).filter(([status]) => status !== 'default')
  return html`${rows.map(([status, { content = {} }]) => {
    const [type] = Object.keys(content)
    const schema = type === undefined ? undefined : content[type]?.schema
    return html`<p><strong>${status}</strong> <code class="quiet">${type ?? 'no body'}</code></p>${schema === undefined ? NOTHING : shape(schema, document)}`
  })}<p class="quiet">Or one of the <a href="error-codes">errors</a>.</p>`
}

function curlOf(
  { method, path, 'x-access': access }: Placed,
  body: Schema | undefined,
  document: Document,
): string {
  const url = `${document.servers[0]?.url ?? ''}${path}`
  const key = KEYS[access ?? ''] ?? bearer('POSTERN_API_KEY')
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...(key === '' ? [] : [`  ${key}`]),
    ...(body === undefined
      ? []
      : [
          '  -H "Content-Type: application/json"',
          `  -d '${JSON.stringify(sampleOf(body, document)).replaceAll("'", `'\\''`)}'`,
        ]),
  ].join(' \\\n')
}

const bearer = (variable: string) => `-H "Authorization: Bearer $${variable}"`

/** What a call shows, by who may make it; the others show a key of the organization. */
const KEYS: Record<string, string> = {
  public: '',
  session: '-b cookies.txt',
  operator: bearer('METRICS_TOKEN'),
  installation: bearer('OPERATOR_TOKEN'),
}

function sdkOf(
  { method, path }: Placed,
  body: Schema | undefined,
  document: Document,
  names: SdkNames,
): string {
  const places = path.match(/\{\w+\}/g) ?? []
  const taken = [
    ...places.map((place) => place.slice(1, -1)),
    ...(body === undefined ? [] : [JSON.stringify(sampleOf(body, document), null, 2)]),
  ]
  return `await postern.${names.get(`${method} ${path}`)}(${taken.join(', ')})`
}
