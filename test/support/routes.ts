import assert from 'node:assert/strict'
import { pino } from 'pino'
import { startApp } from '#src/app.ts'
import { readConfig } from '#src/config/config.ts'
import { newId } from '#src/core/id.ts'
import type { Permission } from '#src/http/permissions.ts'
import { testClock } from './clock.ts'
import { withShapes } from './document.ts'
import { newEmail, PASSWORD } from './people.ts'
import { freshStore, startPostern } from './postern.ts'

/** JSON Schema, as far as the document uses it. */
export interface Schema {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  minItems?: number
  minProperties?: number
  minimum?: number
  maxLength?: number
  writeOnly?: boolean
  additionalProperties?: boolean
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
  example?: unknown
}

/** Who may call a route: of an organization, the lowest role that has its permission. */
type RouteAccess = 'public' | 'session' | 'member' | 'administrator' | 'operator' | 'installation'

/** A route as the document describes it. */
export interface Route {
  method: string
  path: string
  operationId: string
  access: RouteAccess
  /** The permission that it asks for. */
  scope: Permission | undefined
  /** Whether it asks a person for a second factor of the last ten minutes. */
  asksForStepUp: boolean
  /** The permissions that it asks for beside that, by the member that is given. */
  also: Record<string, Permission>
  parameters: Parameter[]
  /** undefined: it takes no JSON. */
  body: Schema | undefined
  /** Whether it takes bytes as they are. */
  isRaw: boolean
  /** Whether it may be called without one. */
  isBodyOptional: boolean
}

interface Operation {
  operationId: string
  'x-access': RouteAccess
  'x-scope'?: Permission
  'x-scope-of'?: Record<string, Permission>
  'x-step-up'?: true
  'x-path'?: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
}

/** Every route of `/openapi.json`. A new route is in every suite over all routes. */
export async function readRoutes(): Promise<Route[]> {
  const postern = await startPostern('sqlite')
  const { body } = await postern.client().get('/openapi.json')
  await postern.stop()
  const paths = Object.entries(withShapes(body).paths as Record<string, Record<string, Operation>>)
  return paths.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: operation['x-path'] ?? path,
      operationId: operation.operationId,
      access: operation['x-access'],
      scope: operation['x-scope'],
      asksForStepUp: operation['x-step-up'] === true,
      also: operation['x-scope-of'] ?? {},
      // The header that operations share is a reference.
      parameters: (operation.parameters ?? []).filter((one) => !('$ref' in one)),
      isRaw: operation.requestBody?.content['application/octet-stream'] !== undefined,
      isBodyOptional: operation.requestBody?.required !== true,
      body: objectOf(operation.requestBody?.content['application/json']?.schema),
    })),
  )
}

/** A body that may be left out is described as the object or nothing. */
function objectOf(schema: Schema | undefined): Schema | undefined {
  return schema?.anyOf?.find(({ type }) => type === 'object') ?? schema
}

/** Every route that is registered and not in the document, as `GET /path`. */
export async function undocumentedRoutes(documented: Route[]): Promise<string[]> {
  const known = new Set(documented.map(({ method, path }) => `${method} ${path}`))
  const registered: string[] = []
  const app = await startApp({
    config: readConfig({ ...(await freshStore('sqlite')), PORT: '0' }),
    clock: testClock(),
    log: pino({ level: 'silent' }),
    extend: (server) =>
      server.addHook('onRoute', ({ method, url }) => {
        for (const one of [method].flat()) registered.push(`${one} ${url.replace(/:(\w+)/g, '{$1}')}`)
      }),
  })
  await app.stop()
  return registered.filter((name) => !known.has(name) && !/^(HEAD|OPTIONS) /.test(name))
}

/** What the test gives a member that its schema alone does not explain. */
const BY_NAME: Record<string, () => unknown> = {
  email: () => newEmail('sample'),
  password: () => PASSWORD,
  newPassword: () => PASSWORD,
  termsAccepted: () => true,
  callbackURL: () => 'https://app.acme.test/done',
  redirectUrl: () => 'https://app.acme.test/connected',
  endpointPath: () => `path-${crypto.randomUUID()}`,
  type: () => 'agent.run.completed',
  stepId: () => newId('step', 0),
  text: () => `A text of its own: ${crypto.randomUUID()}.`,
  data: () => ({ agentId: 'agent_1', runId: 'run_1', status: 'succeeded', durationMs: 12, output: 'Done' }),
}

/** A value that a schema accepts, with its required members only. */
export function sample(schema: Schema, name = ''): unknown {
  const named = BY_NAME[name]
  if (named !== undefined) return named()
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], name)
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {})
    const required = schema.required ?? members.slice(0, schema.minProperties ?? 0).map(([member]) => member)
    return Object.fromEntries(
      members
        .filter(([member]) => required.includes(member))
        .map(([member, described]) => [member, sample(described, member)]),
    )
  }
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}))
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return schema.default ?? false
  if (schema.format === 'date-time') return '2026-11-20T09:00:00.000Z'
  return 'sample'
}

/** A body that the route accepts. */
export function sampleBody({ body, method, path }: Route): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  const made = sample(body)
  assert.ok(typeof made === 'object' && made !== null, `${method} ${path} takes no object`)
  return made as Record<string, unknown>
}

/** A value of another type than the schema asks for; undefined where it takes any. */
export function mistyped({ type, anyOf }: Schema): unknown {
  if (anyOf !== undefined || type === undefined) return undefined
  return type === 'string' ? 7 : 'a text'
}

/** The path with its parameters filled in, and the required part of its query. */
export function address({ path, parameters }: Route, given: Record<string, string>): string {
  const typeOf = (name: string) => parameters.find((one) => one.name === name)?.schema.type ?? 'string'
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? String(sample({ type: typeOf(name) }, name))),
  )
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  if (query.length === 0) return filled
  const values = query.map(({ name, schema, example }) => [name, String(example ?? sample(schema, name))])
  return `${filled}?${new URLSearchParams(values)}`
}

/** What the path names, by parameter: the kind of an id, or the parameter's own name. */
export function pathKinds({ parameters }: Route): { name: string; kind: string; isId: boolean }[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) => {
      const isId = schema.format?.endsWith('-id') ?? false
      return { name, kind: isId ? String(schema.format).slice(0, -'-id'.length) : name, isId }
    })
}
