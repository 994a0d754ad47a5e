import type { FastifyReply, FastifyRequest } from 'fastify'
import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { SCIM_PATH, SCIM_TYPE } from '../../http/scim-error.ts'
import { parseFilter } from './attribute-path.ts'
import type { Part } from './provisioned-rows.ts'
import { primaryOf } from './user-values.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

type Resource = Record<string, unknown> & { id: string }

const locationOf = (baseUrl: string, type: 'User' | 'Group', id: string): string =>
  `${baseUrl}${SCIM_PATH}/${type}s/${id}`

/** A user in the form of RFC 7643; null values are omitted. */
export function toUser(row: Tables['scim_user'], baseUrl: string): Resource {
  const name = withoutNulls({
    formatted: row.formatted_name,
    familyName: row.family_name,
    givenName: row.given_name,
  })
  return {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...withoutNulls({ externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length === 0 ? {} : { name }),
    ...withoutNulls({ displayName: row.display_name }),
    active: row.active === 1,
    emails: [{ value: row.email, ...withoutNulls({ type: row.email_type, primary: primaryOf(row) }) }],
    meta: metaOf('User', row, baseUrl),
  }
}

/** @param members ids of its users; undefined where they were not requested */
export function toGroup(
  row: Tables['scim_group'],
  members: Id<'scimUser'>[] | undefined,
  baseUrl: string,
): Resource {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...withoutNulls({ externalId: row.external_id }),
    displayName: row.display_name,
    ...(members && {
      members: members.map((id) => ({ value: id, $ref: locationOf(baseUrl, 'User', id), type: 'User' })),
    }),
    meta: metaOf('Group', row, baseUrl),
  }
}

function metaOf(
  resourceType: 'User' | 'Group',
  {
    id,
    created_at,
    updated_at,
  }: Pick<Tables['scim_user'] | Tables['scim_group'], 'id' | 'created_at' | 'updated_at'>,
  baseUrl: string,
) {
  const times = { created: toIso(created_at), lastModified: toIso(updated_at) }
  return { resourceType, ...times, location: locationOf(baseUrl, resourceType, id) }
}

function withoutNulls(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}

/** A part of a list; the first index is 1 (RFC 7644 3.4.2). */
export function toList(resources: object[], { total, startIndex }: { total: number; startIndex: number }) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

export function sendScim(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .type(`${SCIM_TYPE}; charset=utf-8`)
    .serializer((value: object) => JSON.stringify(value))
    .send(body)
}

/** The requested attributes (RFC 7644 3.9). */
interface Projection {
  only: ReadonlySet<string> | undefined
  without: ReadonlySet<string>
}

/** Most attributes in one request. */
const MOST_NAMES = 50
const ALWAYS = new Set(['schemas', 'id'])

export function readProjection(query: FastifyRequest['query']): Projection {
  const only = namesIn(textIn(query, 'attributes'))
  return { only: only.size === 0 ? undefined : only, without: namesIn(textIn(query, 'excludedAttributes')) }
}

function namesIn(text: string | undefined): Set<string> {
  const names = (text ?? '').slice(0, 4_000).split(',', MOST_NAMES)
  return new Set(names.map(topOf).filter((name) => name !== ''))
}

/** The attribute of a path; the last part of a schema has no dot after its version. */
function topOf(path: string): string {
  const trimmed = path.trim()
  const name = trimmed.slice(trimmed.lastIndexOf(':') + 1)
  return (name.split('.', 1)[0] ?? '').toLowerCase()
}

/** Whether an answer includes an attribute. */
export function isRequested({ only, without }: Projection, attribute: string): boolean {
  const name = attribute.toLowerCase()
  if (ALWAYS.has(name)) return true
  return only === undefined ? !without.has(name) : only.has(name)
}

export function project(resource: Resource, projection: Projection): object {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isRequested(projection, name)))
}

/** A parameter of the query; if it is repeated, the last one. */
function textIn(query: FastifyRequest['query'], name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : undefined
}

/** Most resources of one page, and the default. */
export const MOST_RESULTS = 200
const USUAL_RESULTS = 100

/**
 * `filter`, `startIndex` and `count`: an invalid index is replaced by the nearest valid one (RFC 7644 3.4.2.4).
 * @throws ApiError VALIDATION_FAILED `invalid_filter`
 */
export function readPart(query: FastifyRequest['query']): Part {
  const text = textIn(query, 'filter')
  const numberIn = (name: string, usual: number) => {
    const read = Number.parseInt(textIn(query, name)?.slice(0, 12) ?? '', 10)
    return Number.isSafeInteger(read) ? read : usual
  }
  return {
    filter: text === undefined ? [] : parseFilter(text),
    startIndex: Math.max(1, numberIn('startIndex', 1)),
    count: Math.min(MOST_RESULTS, Math.max(0, numberIn('count', USUAL_RESULTS))),
  }
}
