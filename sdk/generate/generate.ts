import { METHODS } from '../methods.ts'
import { type ApiDocument, type Operation, operationsOf, type Shape, shapeOf } from './document.ts'
import { comment, declaration, eventData, shapes, typeOf } from './types.ts'

const HEADER = '// Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.'

/** A method of the client: its operation and its place. */
export interface Method {
  resource: string | undefined
  name: string
  operation: Operation
  shape: Shape
}

/** The generated files of `sdk/src`, whole, by their names. @throws Error that says what sdk/methods.ts lacks */
export function generateSdk(document: ApiDocument): Record<string, string> {
  const methods = methodsOf(document)
  return {
    'codes.gen.ts': `${HEADER}\n\n${shapes(document).filter(isCodes).join('\n\n')}\n`,
    'types.gen.ts': typesOf(document, methods),
    'routes.gen.ts': routesOf(methods),
  }
}

/** The type of the error codes has a file of its own, below what fails with them. */
const isCodes = (shape: string) => /^(?:\/\*\*.*\*\/\n)?export type ErrorCode =/.test(shape)

/** The methods of all operations, by their places. @throws Error that says what sdk/methods.ts lacks */
export function methodsOf(document: ApiDocument): Method[] {
  const operations = operationsOf(document)
  const byId = new Map(operations.map((one) => [one.operationId, one]))
  const problems = [
    ...operations
      .filter(({ operationId }) => METHODS[operationId] === undefined)
      .map(
        ({ operationId, method, path }) =>
          `${operationId} (${method} ${path}) has no method: add "${operationId}: '${suggestion(path, operationId)}'," to sdk/methods.ts, beside its resource, then run npm run docs.`,
      ),
    ...Object.keys(METHODS)
      .filter((id) => !byId.has(id))
      .map(
        (id) =>
          `${id} stands in sdk/methods.ts, and no operation has that name: remove or rename its line, then run npm run docs.`,
      ),
    ...Object.values(METHODS)
      .filter((place, at, all) => all.indexOf(place) !== at)
      .map(
        (place) => `Two operations are the method ${place}: give one of them another name in sdk/methods.ts.`,
      ),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return Object.entries(METHODS)
    .map(([id, place]) => {
      const operation = byId.get(id) as Operation
      const [resource, name] = place.includes('.') ? place.split('.') : [undefined, place]
      return { resource, name: name ?? '', operation, shape: shapeOf(document, operation) }
    })
    .sort((a, b) => compare(a.resource ?? '~', b.resource ?? '~') || compare(a.name, b.name))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** A place that is free: `/v1/audit-log`, `listAuditEntries` → `auditLog.list`; below a thing, the name of what is there. */
function suggestion(path: string, operationId: string): string {
  const [, , resource = 'things', ...rest] = path.split('/').map(camel)
  const verb = /^[a-z]+/.exec(operationId)?.[0] ?? ''
  const last = rest.at(-1) ?? ''
  const places = [verb, last, operationId]
    .filter((name) => /^\w+$/.test(name))
    .map((name) => `${resource}.${name}`)
  return places.find((place) => !Object.values(METHODS).includes(place)) ?? operationId
}

function camel(part: string): string {
  return part.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function typesOf(document: ApiDocument, methods: Method[]): string {
  const resources = Map.groupBy(methods, ({ resource }) => resource)
  const queries = methods.filter(({ shape }) => shape.query.length > 0)
  const members = [...resources].flatMap(([resource, own]) =>
    resource === undefined
      ? own.map((one) => signatureOf(document, one))
      : [`  ${resource}: ${interfaceOf(resource)}`],
  )
  return `${[
    HEADER,
    "import type { ErrorCode } from './codes.gen.ts'\nimport type { Pages } from './page.ts'\nimport type { Bytes, CallOptions } from './request.ts'\nimport type { EventStream, StreamOptions } from './stream.ts'",
    ...shapes(document).filter((shape) => !isCodes(shape)),
    ...queries.map(queryOf).sort(),
    eventData(document),
    ...[...resources].flatMap(([resource, own]) =>
      resource === undefined
        ? []
        : [
            `export interface ${interfaceOf(resource)} {\n${own.map((one) => signatureOf(document, one)).join('\n')}\n}`,
          ],
    ),
    `/** The methods of a client, by what they are about. */\nexport interface Methods {\n${members.join('\n')}\n}`,
  ].join('\n\n')}\n`
}

const interfaceOf = (resource: string) => `${pascal(resource)}Methods`
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const queryName = ({ operation }: Method) => `${pascal(operation.operationId)}Query`

function queryOf(method: Method): string {
  const { query } = method.shape
  return declaration(queryName(method), {
    type: 'object',
    properties: Object.fromEntries(
      query.map((one) => [one.name, { description: one.description, ...one.schema } as typeof one.schema]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  })
}

function signatureOf(document: ApiDocument, method: Method): string {
  const { name, operation, shape } = method
  const { takes, gives, isInputOptional } = shape
  const mark = isInputOptional ? '?' : ''
  const path = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => `${part}: string`)
  const input = {
    nothing: [],
    query: [`query${mark}: ${queryName(method)}`],
    body: [`body${mark}: ${bodyType(shape)}`],
  }[takes]
  const own = [
    ...(gives === 'stream' ? ['StreamOptions'] : []),
    ...(takes === 'body' && shape.query.length > 0 ? [`{ query?: ${queryName(method)} }`] : []),
  ]
  const options = ['CallOptions', ...own].join(' & ')
  const text = [operation.summary, operation.description]
    .flatMap((one) => one?.replace(/\.$/, '') ?? [])
    .join('. ')
  const head = comment(`${text}. (\`${operation.method} ${operation.path}\`)`, '  ')
  const signature = (last: string, answer: Shape) =>
    `  ${name}(${[...path, ...input, last].join(', ')}): ${answerType(document, answer)}`
  if (!isAlsoTried(shape)) return `${head}${signature(`options?: ${options}`, shape)}`
  // What is only tried answers with something of its own, with 200 before the 201 or 202 of what is done.
  const [tried, ...done] = shape.answers
  const trial = `options: CallOptions & { query: ${queryName(method)} & { dryRun: true } }`
  return [
    `${head}${signature('options?: CallOptions', { ...shape, answers: done })}`,
    signature(trial, { ...shape, answers: tried === undefined ? [] : [tried] }),
  ].join('\n')
}

/** Whether an operation with a body can be tried by its query, without being done. */
function isAlsoTried({ takes, answers, query }: Shape): boolean {
  return takes === 'body' && answers.length > 1 && query.some(({ name }) => name === 'dryRun')
}

function bodyType({ body, isBodyBytes }: Shape): string {
  if (isBodyBytes) return 'Bytes'
  return body === undefined ? 'unknown' : typeOf(body).replace(/ \| null$|^null \| /, '')
}

function answerType(document: ApiDocument, { gives, answers }: Shape): string {
  if (gives === 'stream') return 'EventStream'
  if (gives === 'response') return 'Promise<Response>'
  const types = [...new Set(answers.map((one) => typeOf(one, '  ')))]
  if (gives === 'json') return `Promise<${types.length === 0 ? 'void' : types.join(' | ')}>`
  const [page = {}] = answers
  const { data } = document.components.schemas[String(page.$ref?.split('/').at(-1))]?.properties ?? {}
  return `Pages<${typeOf(data?.items ?? {})}>`
}

function routesOf(methods: Method[]): string {
  const resources = Map.groupBy(methods, ({ resource }) => resource)
  const blocks = [...resources].flatMap(([resource, own]) =>
    resource === undefined
      ? own.map((one) => `  ${one.name}: '${routeOf(one)}',`)
      : [`  ${resource}: {\n${own.map((one) => `    ${one.name}: '${routeOf(one)}',`).join('\n')}\n  },`],
  )
  return `${HEADER}\n\n/** The route of each method: what it is, what its first argument after the path is, what comes back. */\nexport const ROUTES: Record<string, string | Record<string, string>> = {\n${blocks.join('\n')}\n}\n`
}

function routeOf({ operation, shape }: Method): string {
  const { takes, gives } = shape
  const traits = [takes, gives, operation['x-idempotency-key'] === true ? 'once' : 'nothing']
  return [
    operation.method,
    operation.path,
    ...traits.filter((one) => one !== 'nothing' && one !== 'json'),
  ].join(' ')
}
