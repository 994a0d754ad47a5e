/** JSON Schema, as far as the document uses it. */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

type Content = Record<string, { schema?: Schema }>

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

/** One operation of `/openapi.json`, at its place. */
export interface Operation {
  operationId: string
  /** Whether it is done once for each Idempotency-Key. */
  'x-idempotency-key'?: boolean
  'x-access'?: string
  'x-scope'?: string
  'x-scope-of'?: Record<string, string>
  summary?: string
  description?: string
  method: string
  path: string
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

/** `/openapi.json`, as far as types are made of it. */
export interface ApiDocument {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'> & { 'x-path'?: string }>>
  components: { schemas: Record<string, Schema> }
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      parameters: operation.parameters ?? [],
      method: method.toUpperCase(),
      path: operation['x-path'] ?? path,
    })),
  )
}

/** The schema that a reference names, or the schema itself. */
export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

/** What a method gives and takes, read off its operation. */
export interface Shape {
  takes: 'nothing' | 'query' | 'body'
  gives: 'json' | 'page' | 'stream' | 'response'
  answers: Schema[]
  body: Schema | undefined
  isBodyBytes: boolean
  isInputOptional: boolean
  query: Parameter[]
}

export function shapeOf(document: ApiDocument, operation: Operation): Shape {
  const { method, parameters, requestBody, responses } = operation
  const query = parameters.filter((one) => one.in === 'query')
  const content = requestBody?.content ?? {}
  // A route that takes whatever bytes come describes none of them.
  const isBodyBytes = requestBody !== undefined && content['application/json'] === undefined
  const hasBody = requestBody !== undefined
  const types = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  const answers = types.flatMap(([, one]) => one.content?.['application/json']?.schema ?? [])
  const media = types.flatMap(([, one]) => Object.keys(one.content ?? {}))
  const isPage = answers.some(
    (one) => resolve(document, one).properties?.nextCursor && resolve(document, one).properties?.data,
  )
  const isOther =
    media.some((type) => type !== 'application/json') || types.some(([status]) => status === '302')
  return {
    takes: hasBody ? 'body' : query.length > 0 ? 'query' : 'nothing',
    gives:
      media.includes('text/event-stream') && method === 'GET'
        ? 'stream'
        : isOther && answers.length === 0
          ? 'response'
          : isPage
            ? 'page'
            : 'json',
    answers,
    body: content['application/json']?.schema,
    isBodyBytes,
    isInputOptional: hasBody ? requestBody?.required !== true : !query.some(({ required }) => required),
    query,
  }
}
