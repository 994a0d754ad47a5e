import { ApiError } from '../../core/errors.ts'
import { type AttributePath, parsePath } from './attribute-path.ts'
import { foldNames, isObject } from './user-values.ts'

/** One operation of a PATCH (RFC 7644 3.5.2). */
export interface Operation {
  op: 'add' | 'replace' | 'remove'
  path: AttributePath
  value: unknown
  /** Whether the request has the path as `path`, and not as a name in its value. */
  isNamed: boolean
}

const OPS = ['add', 'replace', 'remove'] as const
const MOST_OPERATIONS = 1_000

/**
 * Reads the operations of a PATCH, each with a path. Without a path the members of the value name the attributes; some clients write
 * sub-attributes there with dots.
 * @throws ApiError VALIDATION_FAILED
 */
export function readOperations(body: object): Operation[] {
  const listed = foldNames(body).get('operations')
  if (listed === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'Operations' })
  if (!Array.isArray(listed) || listed.length === 0)
    throw new ApiError('VALIDATION_FAILED', { field: 'Operations', reason: 'invalid_operation' })
  const read = listed.length > MOST_OPERATIONS ? undefined : listed.flatMap(readOperation)
  if (read === undefined || read.length > MOST_OPERATIONS)
    throw new ApiError('VALIDATION_FAILED', { field: 'Operations', reason: 'too_many' })
  return read
}

function readOperation(written: unknown): Operation[] {
  const members = isObject(written) ? foldNames(written) : new Map<string, unknown>()
  const named = members.get('op')
  const op = OPS.find((known) => typeof named === 'string' && named.toLowerCase() === known)
  if (op === undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'Operations.op', reason: 'invalid_operation' })
  const [path, value] = [members.get('path'), members.get('value')]
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw new ApiError('TYPE_MISMATCH', { field: 'Operations.path' })
    return [{ op, path: parsePath(path), value, isNamed: true }]
  }
  if (op === 'remove') throw new ApiError('VALIDATION_FAILED', { field: 'path', reason: 'no_target' })
  if (!isObject(value)) throw new ApiError('TYPE_MISMATCH', { field: 'Operations.value' })
  return Object.entries(value).map(([name, inner]) => ({
    op,
    path: parsePath(name),
    value: inner,
    isNamed: false,
  }))
}

/** Attributes that only the server sets. */
const READ_ONLY = ['id', 'meta', 'schemas', 'groups']
/** Attributes of RFC 7643 that are not stored. Operations on them are ignored, because clients send all their attributes. */
const NOT_KEPT = new Set([
  ...['title', 'nickname', 'profileurl', 'usertype', 'preferredlanguage', 'locale', 'timezone', 'password'],
  ...['phonenumbers', 'ims', 'photos', 'addresses', 'entitlements', 'roles', 'x509certificates'],
])

/**
 * Refuses an operation on an attribute that is not stored, unless the attribute may be ignored.
 * @throws ApiError VALIDATION_FAILED `read_only` or `invalid_path`
 */
export function mustBeIgnorable({ path: { attribute }, isNamed }: Operation): void {
  if (READ_ONLY.includes(attribute)) {
    if (isNamed) throw new ApiError('VALIDATION_FAILED', { field: attribute, reason: 'read_only' })
    return
  }
  if (NOT_KEPT.has(attribute) || attribute.startsWith('urn:')) return
  throw new ApiError('VALIDATION_FAILED', {
    field: 'path',
    value: attribute.slice(0, 256),
    reason: 'invalid_path',
  })
}
