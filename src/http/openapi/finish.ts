import { NAMED } from '../schema/public-schema.ts'
import { describeMembers } from './describe.ts'
import { nameShapes } from './name-shapes.ts'

interface Parameter {
  name: string
  in: string
}

interface Operation {
  security?: Record<string, string[]>[]
  /** Its path as it is everywhere else. */
  'x-path'?: string
  'x-scope'?: string
  parameters?: (Parameter | { $ref: string })[]
  responses?: Record<string, object>
  requestBody?: RequestBody
}

interface RequestBody {
  required?: boolean
  content: Record<string, { schema: { type?: string; anyOf?: { type?: string }[] } }>
}

type Paths = Record<string, Record<string, Operation>>

/** Makes a document of OpenAPI of what Fastify's plugin collects: what it cannot know is said here. */
export function finishDocument<T extends { paths?: object; components?: { schemas?: object } }>(
  document: T,
): T {
  const paths = document.paths as Paths
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const { requestBody } = operation
      // Fastify's plugin would take a response for the schema of one.
      operation.responses = {
        ...operation.responses,
        ...(operation['x-scope'] === undefined ? {} : { 403: { $ref: '#/components/responses/Forbidden' } }),
        default: { $ref: '#/components/responses/ErrorAnswer' },
      }
      if (requestBody !== undefined) {
        sayWhetherRequired(requestBody)
        putFormFirst(requestBody)
      }
    }
  }
  const described = describeMembers(nameShapes(refer({ ...document, paths: joinTwins(paths) }) as T))
  for (const operations of Object.values(described.paths as Paths))
    for (const operation of Object.values(operations)) nameOrganizationHeader(operation)
  return described
}

/** Says that an operation takes the header with which a key of the installation names an organization. */
function nameOrganizationHeader(operation: Operation): void {
  if (operation.security?.some((one) => 'platformKey' in one))
    operation.parameters = [
      ...(operation.parameters ?? []),
      { $ref: '#/components/parameters/PosternOrganization' },
    ]
}

/** Generators that make one method of an operation read the first kind of its body, and only a form has named members. */
function putFormFirst(requestBody: RequestBody): void {
  const kinds = Object.entries(requestBody.content)
  const isForm = ([type]: [string, unknown]) => type === 'multipart/form-data'
  requestBody.content = Object.fromEntries([...kinds.filter(isForm), ...kinds.filter((one) => !isForm(one))])
}

/** A body that may be null may be left out. The document says that by `required` alone, so that the body keeps one name. */
function sayWhetherRequired(requestBody: RequestBody): void {
  requestBody.required = true
  for (const media of Object.values(requestBody.content)) {
    const branches = media.schema?.anyOf ?? []
    const [only, ...others] = branches.filter(({ type }) => type !== 'null')
    if (branches.length === 0 || others.length + 1 === branches.length) continue
    requestBody.required = false
    media.schema = others.length === 0 ? (only ?? {}) : { ...media.schema, anyOf: [only ?? {}, ...others] }
  }
}

/**
 * Two paths that differ in the names of their parameters alone are one (OpenAPI 3.1, 4.8.8): the later one's
 * operations move to the first, and say in their parameter what stands there.
 */
function joinTwins(paths: Paths): Paths {
  const joined: Paths = {}
  const first = new Map<string, string>()
  for (const [path, operations] of Object.entries(paths)) {
    const shape = path.replace(/\{\w+\}/g, '{}')
    const twin = first.get(shape) ?? path
    first.set(shape, twin)
    for (const operation of Object.values(operations)) {
      rename(operation, namesIn(path), namesIn(twin))
      if (twin !== path) operation['x-path'] = path
    }
    joined[twin] = { ...joined[twin], ...operations }
  }
  return joined
}

function rename({ parameters = [] }: Operation, from: string[], to: string[]): void {
  for (const parameter of parameters) {
    if ('in' in parameter && parameter.in === 'path')
      parameter.name = to[from.indexOf(parameter.name)] ?? parameter.name
  }
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function refer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refer)
  if (typeof value !== 'object' || value === null) return value
  const { [NAMED]: name } = value as { [NAMED]?: string }
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, refer(inner)]))
}
