import { NAMED } from '../schema/public-schema.ts'
import { describeMembers } from './describe.ts'
import { nameSchemas } from './name-schemas.ts'

interface Parameter {
  name: string
  in: string
}

interface Operation {
  security?: Record<string, string[]>[]
  /** The path in the form that all other documents use. */
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

/** Completes the document that Fastify's plugin generates with what the plugin does not know. */
export function postProcess<T extends { paths?: object; components?: { schemas?: object } }>(document: T): T {
  const paths = document.paths as Paths
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const { requestBody } = operation
      // Fastify's plugin would interpret a response object as a schema.
      operation.responses = {
        ...operation.responses,
        ...(operation['x-scope'] === undefined ? {} : { 403: { $ref: '#/components/responses/Forbidden' } }),
        default: { $ref: '#/components/responses/ErrorAnswer' },
      }
      if (requestBody !== undefined) {
        markRequired(requestBody)
        putFormFirst(requestBody)
      }
    }
  }
  const described = describeMembers(
    nameSchemas(refer({ ...document, paths: mergeEquivalentPaths(paths) }) as T),
  )
  for (const operations of Object.values(described.paths as Paths))
    for (const operation of Object.values(operations)) nameOrganizationHeader(operation)
  return described
}

/** Adds the header by which a platform key names an organization. */
function nameOrganizationHeader(operation: Operation): void {
  if (operation.security?.some((one) => 'platformKey' in one))
    operation.parameters = [
      ...(operation.parameters ?? []),
      { $ref: '#/components/parameters/PosternOrganization' },
    ]
}

/** Puts the form first: client generators use the first media type of a body, and only a form has named members. */
function putFormFirst(requestBody: RequestBody): void {
  const kinds = Object.entries(requestBody.content)
  const isForm = ([type]: [string, unknown]) => type === 'multipart/form-data'
  requestBody.content = Object.fromEntries([...kinds.filter(isForm), ...kinds.filter((one) => !isForm(one))])
}

/** A nullable body may be omitted. The document states that by `required` alone, so that the body keeps one name. */
function markRequired(requestBody: RequestBody): void {
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
 * Merges paths that differ only in parameter names, which are equal in OpenAPI (3.1, 4.8.8): the operations of the
 * later one move to the first, and describe their parameter there.
 */
function mergeEquivalentPaths(paths: Paths): Paths {
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
