import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { lazily, lazyPackage } from '../../core/memoize.ts'
import { withoutDialect } from './event-type-schema.ts'

/** Largest data whose errors are all listed; for larger data the list could fill the memory. */
export const MOST_LISTED = 16 * 1024

/** Characters of cached schemas, of one organization and of all. */
const [MOST_OF_ONE, MOST_OF_ALL] = [512 * 1024, 16 * 1024 * 1024]

const ajv = lazyPackage<typeof import('ajv')>('ajv')

const ajvLater = (allErrors: boolean) =>
  lazily(() => {
    // `isSchema` has checked the schema at registration, so it is not checked again.
    const validateSchema = false
    const made = new (ajv().Ajv)({ allErrors, verbose: true, strict: false, logger: false, validateSchema })
    for (const format of ['email', 'date-time', 'uri', 'uuid']) made.addFormat(format, true)
    return made
  })

const [first, all] = [ajvLater(false), ajvLater(true)]

interface Compiled {
  first: ValidateFunction
  all: ValidateFunction | undefined
}

/** The compiled schemas of one owner, the least recently used first. */
interface SchemaCache {
  compiled: Map<string, Compiled>
  /** Characters of these schemas. */
  size: number
}

/** Built-in schemas: few, and always the same objects. */
const builtIn = new WeakMap<object, Compiled>()
/** Custom schemas by organization id, the least recently used organization first. */
const caches = new Map<string, SchemaCache>()
let size = 0

/** Whether a schema is valid against the meta-schema. */
export function isSchema(schema: object): boolean {
  return first().validateSchema(withoutDialect(schema)) === true
}

/** A schema, or its stored text, which is parsed only when it is compiled. */
export type Schema = object | string

/**
 * The errors of data against a schema: all of them for small data, otherwise the first.
 * @param owner the organization of the schema, '' for a built-in one; each owner has its own cache, so that none evicts
 * another's
 */
export function problemsOf(owner: string, schema: Schema, data: unknown, bytes: number): ErrorObject[] {
  const isBuiltIn = owner === '' && typeof schema === 'object'
  const compiled = isBuiltIn ? findBuiltIn(schema) : find(owner, schema)
  if (compiled.first(data)) return []
  if (bytes > MOST_LISTED) return compiled.first.errors ?? []
  compiled.all ??= compile(all(), schema)
  compiled.all(data)
  return compiled.all.errors ?? []
}

function findBuiltIn(schema: object): Compiled {
  const known = builtIn.get(schema) ?? { first: compile(first(), schema), all: undefined }
  builtIn.set(schema, known)
  return known
}

function find(owner: string, schema: Schema): Compiled {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  const shelf = caches.get(owner) ?? { compiled: new Map<string, Compiled>(), size: 0 }
  const known = shelf.compiled.get(text) ?? { first: compile(first(), schema), all: undefined }
  if (!shelf.compiled.delete(text)) {
    shelf.size += text.length
    size += text.length
  }
  shelf.compiled.set(text, known)
  caches.delete(owner)
  caches.set(owner, shelf)
  for (const [old] of shelf.compiled) {
    if (shelf.size <= MOST_OF_ONE || old === text) break
    shelf.compiled.delete(old)
    shelf.size -= old.length
    size -= old.length
  }
  for (const [other, { size: theirs }] of caches) {
    if (size <= MOST_OF_ALL || other === owner) break
    caches.delete(other)
    size -= theirs
  }
  return known
}

function compile(ajv: Ajv, schema: Schema): ValidateFunction {
  // Ajv caches each compiled schema by its object until it is removed.
  const compilable = withoutDialect(typeof schema === 'string' ? JSON.parse(schema) : schema)
  const validate = ajv.compile(compilable)
  ajv.removeSchema(compilable)
  return validate
}
