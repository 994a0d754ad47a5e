import swagger from '@fastify/swagger'
import fastify, { type RouteOptions } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { CATALOGUE, ERROR_CODES } from '../../core/errors.ts'
import { ORGANIZATION_HEADER } from '../organization-header.ts'
import { isPermission, type Permission, permissionRow } from '../permissions.ts'
import type { Access } from '../principal.ts'
import { FREE_SCHEMAS } from '../schema/free-value.ts'
import { publicSchema } from '../schema/public-schema.ts'
import { asksForStepUp } from '../step-up.ts'
import { pascal } from './name-schemas.ts'
import { postProcess } from './post-process.ts'

/** The facts about an event type in the document. */
export interface DocumentedEvent {
  type: string
  description: string
  /** JSON Schema of `data`. */
  schema: object
  example: object
}

/** The contents of the document beside routes. */
export interface Documented {
  baseUrl: string
  version: string
  events: DocumentedEvent[]
  /** Schemas that routes refer to by name. */
  schemas: Record<string, object>
}

/** The security requirement of each kind of access. */
const SECURITY: Record<Exclude<Access, Permission>, { [scheme: string]: string[] }[]> = {
  public: [],
  session: [{ session: [] }],
  caller: [{ bearer: [] }, { platformKey: [] }],
  // Without METRICS_TOKEN only requests from this machine are accepted.
  operator: [{ metrics: [] }, {}],
  installation: [{ operator: [] }],
}

/** The parts of a route's schema that describe a request. */
const REQUEST_PARTS = ['body', 'querystring', 'params', 'headers'] as const

/** The header of requests with a platform key. The document has it once, and operations refer to it. */
const ORGANIZATION_PARAMETER: OpenAPIV3_1.ParameterObject = {
  name: ORGANIZATION_HEADER,
  in: 'header',
  required: false,
  description:
    'The organization for which a key of the installation acts: `org_…`, or `ext:` and its `externalId`. Such a key must send it; with any other credential it must name the organization of the credential.',
  schema: { type: 'string', minLength: 5, maxLength: 259 },
  example: 'ext:cus_1042',
}

const ERROR_SCHEMA: OpenAPIV3_1.SchemaObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details', 'requestId', 'docUrl'],
      properties: {
        code: { type: 'string', enum: ERROR_CODES },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
        requestId: { type: 'string' },
        docUrl: { type: 'string', format: 'uri' },
      },
    },
  },
}

/**
 * Makes the document from a server's routes. Fastify's plugin describes only routes that are registered after it, so
 * they are registered again on a second server that never listens.
 */
export async function makeDocument(
  routes: RouteOptions[],
  { baseUrl, version, events, schemas }: Documented,
): Promise<object> {
  const describer = fastify({ exposeHeadRoutes: false })
  // This server handles no request, so no validator is compiled.
  describer.setValidatorCompiler(() => () => true)
  describer.setSerializerCompiler(() => JSON.stringify)
  await describer.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Postern',
        version,
        description:
          'An invitation-only, multi-organization platform API: access, webhooks and one error catalogue.',
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'The JWT of `GET /v1/auth/token`, or an API key.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: baseUrl.startsWith('https:') ? '__Host-session' : 'session',
          },
          metrics: {
            type: 'http',
            scheme: 'bearer',
            description: 'METRICS_TOKEN; not asked of this machine.',
          },
          operator: { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN.' },
          platformKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A key of the installation (`ppk_…`), which acts for the organization of the header `Postern-Organization`.',
          },
        },
        parameters: { PosternOrganization: ORGANIZATION_PARAMETER },
        schemas: { ErrorAnswer: ERROR_SCHEMA, ...FREE_SCHEMAS, ...schemas },
        responses: {
          ErrorAnswer: {
            description: errorSummary(),
            content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorAnswer' } } },
          },
          Forbidden: {
            description:
              'FORBIDDEN: the caller may not do this. `details.reason` names the rule, and `details.scope` the scope that a key, or the role, lacks.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorAnswer' } } },
          },
        },
      },
      // The type covers OpenAPI 3.0 only; `webhooks` is a member of 3.1.
      ...({ webhooks: Object.fromEntries(events.map(toWebhook)) } as object),
    },
    transform: ({ schema, url, route }) => {
      const { access = 'installation', also, once } = route.config ?? {}
      const traits = {
        ...describeAccess(access),
        ...(also === undefined ? {} : { 'x-scope-of': also }),
        ...(asksForStepUp(route.config ?? {}) ? { 'x-step-up': true } : {}),
        ...(once ? { 'x-idempotency-key': true } : {}),
      }
      const asked = Object.fromEntries(
        REQUEST_PARTS.flatMap((part) => (schema?.[part] ? [[part, publicSchema(schema[part])]] : [])),
      )
      const description = withScopes(schema?.description, access, also)
      const described = { ...schema, ...asked, ...(description && { description }), ...traits }
      return { schema: described as typeof schema, url }
    },
    transformObject: (made) => postProcess('openapiObject' in made ? made.openapiObject : made.swaggerObject),
    hideUntagged: true,
  })
  for (const { method, url, config, schema } of routes)
    describer.route({
      method,
      url,
      handler: neverAsked,
      ...(config && { config }),
      ...(schema && { schema }),
    })
  await describer.ready()
  return describer.swagger()
}

/** The callers of an operation: the lowest role, the scope of a key, and the module of the plan. */
function describeAccess(access: Access): object {
  if (!isPermission(access))
    return { security: SECURITY[access], 'x-access': access === 'caller' ? 'member' : access }
  const { role, module } = permissionRow(access)
  return {
    // Roles of a scheme that is not OAuth (OpenAPI 3.1, 4.8.30).
    security: [{ bearer: [access] }, { platformKey: [access] }],
    ...{ 'x-access': role, 'x-scope': access },
    ...(module === undefined ? {} : { 'x-module': module }),
  }
}

/** The description of an operation, with its scopes. */
function withScopes(
  about: string | undefined,
  access: Access,
  also: Readonly<Record<string, Permission>> = {},
): string | undefined {
  if (!isPermission(access)) return about
  const more = Object.entries(also).map(([member, scope]) => `, with \`${member}\` \`${scope}\``)
  return [about, `Scope: \`${access}\`${more.join('')}.`].filter((one) => one !== undefined).join(' ')
}

function neverAsked(): never {
  throw new Error('this server does not listen')
}

function errorSummary(): string {
  return `An error of the catalogue: ${ERROR_CODES.map((code) => `${code} (${CATALOGUE[code].status})`).join(', ')}.`
}

function toWebhook({ type, description, schema, example }: DocumentedEvent): [string, object] {
  const envelope = {
    type: 'object',
    required: ['id', 'type', 'createdAt', 'data'],
    properties: {
      id: { type: 'string', examples: ['evt_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42'] },
      type: { const: type },
      createdAt: { type: 'string', format: 'date-time' },
      data: { ...schema, examples: [example] },
    },
  }
  const operation = {
    operationId: `receive${pascal(type)}`,
    summary: description,
    // Receivers implement this operation and clients never call it, so client generators skip it.
    'x-internal': true,
    requestBody: { required: true, content: { 'application/json': { schema: envelope } } },
    responses: { '2XX': { description: 'Received.' } },
  }
  return [type, { post: operation }]
}
