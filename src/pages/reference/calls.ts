import type { Document, Placed, Schema } from './document.ts'
import { sampleOf } from './samples.ts'

/** The method of the SDK by method and path: `POST /v1/webhooks` → `webhooks.create`. */
export type SdkNames = ReadonlyMap<string, string>

/** An operation as a command of curl, with example values in its path and body. */
export function curlOf(operation: Placed, document: Document): string {
  const { method, 'x-access': access } = operation
  const url = `${document.servers[0]?.url ?? ''}${exampleAddress(operation, document)}`
  const lines = [KEYS[access ?? ''] ?? bearer('POSTERN_API_KEY'), ...bodyLines(operation, document)]
  const given = lines.filter((line) => line !== '').map((line) => `  ${line}`)
  return [`curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`, ...given].join(' \\\n')
}

/** An operation as a call of the SDK. */
export function sdkOf(operation: Placed, document: Document, name: string): string {
  const { path, parameters = [] } = operation
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, place]) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === place)
    return `'${exampleOf(parameter, document)}'`
  })
  const body = bodyOf(operation)
  const taken = body === undefined ? places : [...places, argumentOf(body, document)]
  return `await postern.${name}(${taken.join(', ')})`
}

interface Body {
  type: string
  schema: Schema | undefined
}

/** The body that is shown: of several kinds the first, which is a form where the operation also takes plain bytes. */
export function bodyOf({ requestBody }: Placed): Body | undefined {
  const [first] = Object.entries(requestBody?.content ?? {})
  return first === undefined ? undefined : { type: first[0], schema: first[1].schema }
}

const isJson = ({ type }: Body) => type === 'application/json'

function argumentOf(body: Body, document: Document): string {
  if (isJson(body)) return JSON.stringify(sampleOf(body.schema, document), null, 2)
  return "{ file: new Blob(['Some text.'], { type: 'text/plain' }), name: 'example.txt' }"
}

function bodyLines(operation: Placed, document: Document): string[] {
  const body = bodyOf(operation)
  if (body === undefined) return []
  if (!isJson(body)) return ["-F 'file=@example.txt'"]
  const text = JSON.stringify(sampleOf(body.schema, document)).replaceAll("'", `'\\''`)
  return ['-H "Content-Type: application/json"', `-d '${text}'`]
}

const bearer = (variable: string) => `-H "Authorization: Bearer $${variable}"`

/** The credentials of an example, by the access of its operation; any other access shows a key of the organization. */
const KEYS: Record<string, string> = {
  public: '',
  session: '-b cookies.txt',
  operator: bearer('METRICS_TOKEN'),
  installation: bearer('OPERATOR_TOKEN'),
}

type Parameter = NonNullable<Placed['parameters']>[number]

/** The path with an example in each place, and with the required parameters of the query. */
function exampleAddress({ path, parameters = [] }: Placed, document: Document): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    exampleOf(
      parameters.find((one) => one.in === 'path' && one.name === name),
      document,
    ),
  )
  const asked = parameters.filter((one) => one.in === 'query' && one.required === true)
  const query = new URLSearchParams(asked.map((one) => [one.name, exampleOf(one, document)]))
  return query.size === 0 ? filled : `${filled}?${query}`
}

function exampleOf(parameter: Parameter | undefined, document: Document): string {
  const { schema, name, description: words } = parameter ?? {}
  return String(sampleOf(schema, document, { name, words }))
}
