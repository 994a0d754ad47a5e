import { type Id, readId } from '../../core/id.ts'
import { parseFilter } from './attribute-path.ts'

/** Replaces a value that is not recorded. */
const HIDDEN = '…'
/** The most recorded segments, the empty one before the first `/` included. */
const MOST_SEGMENTS = 8

/** Segments that SCIM defines; any other may be a value. */
const SEGMENTS = new Set([
  ...['scim', 'v1', 'v2', 'Users', 'Groups', 'Me', 'Bulk', '.search'],
  ...['ServiceProviderConfig', 'ResourceTypes', 'Schemas'],
])
/** Parameters of RFC 7644, and the flag of Entra ID's tenant URL. */
const PARAMETERS = [
  ...['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes', 'sortBy', 'sortOrder'],
  ...['cursor', 'aadOptscim062020'],
]
/** Attributes of RFC 7643 in filters, by their names in lower case. */
const ATTRIBUTES = new Map(
  [
    ...['id', 'externalId', 'userName', 'displayName', 'nickName', 'title', 'userType', 'active'],
    ...['emails', 'emails.value', 'emails.type', 'emails.primary', 'phoneNumbers.value', 'roles.value'],
    ...['name.formatted', 'name.givenName', 'name.familyName', 'meta.created', 'meta.lastModified'],
    ...['members', 'members.value', 'groups', 'groups.value'],
  ].map((name) => [name.toLowerCase(), name]),
)

const RESOURCES = { Users: 'scimUser', Groups: 'scimGroup' } as const

type ResourceId = Id<'scimUser'> | Id<'scimGroup'>

/** The user or group in a URL. @returns undefined for a segment that is no id of Postern */
export function resourceIn(url: string): ResourceId | undefined {
  return segmentsOf(url).reduce<ResourceId | undefined>(
    (found, segment, at, all) => found ?? readResource(all[at - 1], segment),
    undefined,
  )
}

/** @returns a URL of SCIM without values: `/scim/v2/Users/{id}`, `/scim/v2/Users?filter=userName eq …&count=…` */
export function shownUrl(url: string, query: Record<string, unknown>): string {
  const segments = segmentsOf(url)
  const shown = segments.slice(0, MOST_SEGMENTS).map((segment, at, all) => {
    if (segment === '' || SEGMENTS.has(segment)) return segment
    return readResource(all[at - 1], segment) === undefined ? HIDDEN : '{id}'
  })
  const path = [...shown, ...(segments.length > MOST_SEGMENTS ? [HIDDEN] : [])].join('/')
  const parameters = PARAMETERS.filter((name) => Object.hasOwn(query, name)).map((name) =>
    name === 'filter' ? `filter=${shownFilter(query.filter)}` : `${name}=${HIDDEN}`,
  )
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** The segments of a path, at most one more than are recorded. */
function segmentsOf(url: string): string[] {
  return (url.split('?', 1)[0] ?? '').split('/', MOST_SEGMENTS + 1)
}

function readResource(before: string | undefined, segment: string): ResourceId | undefined {
  if (before !== 'Users' && before !== 'Groups') return undefined
  return readId(RESOURCES[before], segment)
}

function shownFilter(written: unknown): string {
  try {
    return parseFilter(String(Array.isArray(written) ? written.at(-1) : written))
      .map(({ path }) => `${ATTRIBUTES.get(path) ?? HIDDEN} eq ${HIDDEN}`)
      .join(' and ')
  } catch {
    return HIDDEN
  }
}
