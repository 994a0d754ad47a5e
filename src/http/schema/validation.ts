import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { CATALOGUE, type ErrorCode, type Issue } from '../../core/errors.ts'
import { type Id, type Kind, prefixOf } from '../../core/id.ts'
import { LANGUAGES } from '../../core/language.ts'
import { SIZE } from '../../core/limits.ts'
import { lazily, lazyPackage, memoizeByJson } from '../../core/memoize.ts'
import { EXTERNAL_ID_PATTERN } from '../../core/text/external-id.ts'
import { LABEL_PATTERN } from '../../core/text/label.ts'
import { FORMATS, mapSchema, unwrittenPattern } from './formats.ts'
import { type TSchema, Type } from './type.ts'

const ajv = lazyPackage<typeof import('ajv')>('ajv')

type Compile = (schema: TSchema) => ValidateFunction

/** Compiles equal schemas, such as those of an id in the path, once. The compiler is created for the first one. */
function compilerLater(options: { allErrors: boolean; coerceTypes: boolean }): Compile {
  const compiler = lazily(() => {
    const made = new (ajv().Ajv)({
      ...options,
      ...{ verbose: true, removeAdditional: false, useDefaults: true, strict: false },
      // These schemas are ours: compiling the meta-schema would cost more than all of them.
      ...{ meta: false, validateSchema: false },
    })
    for (const [name, { check }] of Object.entries(FORMATS)) made.addFormat(name, check)
    return made
  })
  return memoizeByJson((schema) => compiler().compile(whole(schema)))
}

/** JSON bodies: no coercion, and no member is dropped silently (decisions: conventions). */
const bodies = compilerLater({ allErrors: true, coerceTypes: false })
/** For large bodies: listing all errors costs more than the body. */
const firstOfBodies = compilerLater({ allErrors: false, coerceTypes: false })
/** Query strings: all values are text, so numbers are coerced. */
const strings = compilerLater({ allErrors: true, coerceTypes: true })

/** Reports all problems of a small body, and only the first of a large one. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return compileLater(strings, schema)
  const [first, all] = [compileLater(firstOfBodies, schema), compileLater(bodies, schema)]
  const validate = (data: unknown) => {
    if (first(data)) return true
    const judge = holdsMore(data, MOST_VALUES) ? first : all
    if (judge === all) all(data)
    validate.errors = judge.errors
    return false
  }
  validate.errors = undefined as ValidateFunction['errors']
  return validate as ValidateFunction
}

/** Bodies with at most this many values get a list of all their problems. */
const MOST_VALUES = 1_000

/** Whether a value holds more than `most` values; stops counting there. */
function holdsMore(value: unknown, most: number): boolean {
  const waiting = [value]
  for (let seen = 0; waiting.length > 0; seen += 1) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    // An object's names are listed first; `json-places.ts` has limited their number.
    const inner = Array.isArray(next) ? next : Object.values(next)
    if (seen + waiting.length + inner.length > most) return true
    for (const one of inner) waiting.push(one)
  }
  return false
}

/** Compiles a schema with the first request: compiling all of them would take most of a start, and of its memory. */
function compileLater(compile: Compile, schema: TSchema): ValidateFunction {
  const compiled = lazily(() => compile(schema))
  const later = (data: unknown) => {
    const validate = compiled()
    const isValid = validate(data)
    later.errors = validate.errors
    return isValid
  }
  later.errors = undefined as ValidateFunction['errors']
  return later as ValidateFunction
}

/** The schema with the rules that apply to every schema. */
function whole(schema: TSchema): TSchema {
  return mapSchema(schema, (one) => {
    const pattern = unwrittenPattern(one)
    return pattern === undefined ? one : { ...one, pattern }
  }) as TSchema
}

/** The code of each JSON Schema keyword; any other is VALIDATION_FAILED. */
const CODE_OF_KEYWORD: Record<string, ErrorCode> = {
  required: 'MISSING_REQUIRED_FIELD',
  type: 'TYPE_MISMATCH',
}

/** Names of members whose values are secret even where no schema marks them. */
const SECRET_NAME = /pass|token|secret|cookie|authorization|code$|key$/i

/** Most problems in one answer. */
const MOST_ISSUES = 50

/** The issues of the catalogue for Ajv's errors, in the same order. */
export function issuesOf(errors: object[], context: string | undefined): Issue[] {
  const issues = (errors as ErrorObject[])
    // These errors only report that some branch failed; the branch has its own error.
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'not')
    .slice(0, MOST_ISSUES)
    .map((error) => issueOf(error, context))
  return issues
}

function issueOf(error: ErrorObject, context: string | undefined): Issue {
  const path = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const extra = (error.params.missingProperty ?? error.params.additionalProperty) as string | undefined
  const name = [path, extra].filter((part) => part !== undefined && part !== '').join('.')
  const field = (name || (context ?? 'body')).slice(0, SIZE.echoedValue)
  const code = codeOf(error, field)
  const said = extra === undefined ? (error.message ?? CATALOGUE[code].message) : ''
  const message = said || (error.keyword === 'required' ? 'is required' : 'is not known here')
  if (error.keyword === 'required') return { field, code, message }
  const value = extra === undefined ? error.data : (error.data as Record<string, unknown>)[extra]
  if (value === undefined) return { field, code, message }
  return { field, value: echo(value, isSecret(error, field)), code, message }
}

function codeOf(error: ErrorObject, field: string): ErrorCode {
  if (error.keyword === 'format') {
    const format = String(error.schema)
    if (format === 'email') return 'INVALID_EMAIL'
    return format.endsWith('-id') ? 'INVALID_UUID' : 'VALIDATION_FAILED'
  }
  // A missing body is not a body of the wrong type.
  if (field === 'body' && (error.data === undefined || error.data === null)) return 'VALIDATION_FAILED'
  return CODE_OF_KEYWORD[error.keyword] ?? 'VALIDATION_FAILED'
}

function isSecret(error: ErrorObject, field: string): boolean {
  const { writeOnly, properties } = (error.parentSchema ?? {}) as Described & {
    properties?: Record<string, Described>
  }
  if (writeOnly === true || SECRET_NAME.test(field.split('.').at(-1) ?? field)) return true
  // A whole body that is no object may hold anything, and an unknown member may be a misspelt secret.
  if (error.instancePath === '' && (typeof error.data !== 'object' || Array.isArray(error.data))) return true
  return (
    error.keyword === 'additionalProperties' && Object.values(properties ?? {}).some((one) => one.writeOnly)
  )
}

interface Described {
  writeOnly?: boolean
}

/** A rejected value as the error shows it: never a secret, at most 256 characters. */
function echo(value: unknown, secret: boolean): unknown {
  if (secret) return '[redacted]'
  if (typeof value === 'string') return value.slice(0, SIZE.echoedValue)
  if (typeof value !== 'object' || value === null) return value
  const budget = { left: SIZE.echoedValue, isTooDeep: false }
  const shown = beginning(value, budget, DEEPEST_ECHO)
  if (budget.isTooDeep) return '[nested too deeply]'
  const text = JSON.stringify(shown)
  return text.length > SIZE.echoedValue ? text.slice(0, SIZE.echoedValue) : JSON.parse(text)
}

/** `JSON.stringify` recurses: a few thousand nested brackets would overflow its stack. */
const DEEPEST_ECHO = 32

/** A copy of the first values in a value: each takes at least a character of the shown text. */
function beginning(value: unknown, budget: { left: number; isTooDeep: boolean }, levels: number): unknown {
  budget.left -= 1
  if (typeof value === 'string') return value.slice(0, SIZE.echoedValue)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) budget.isTooDeep = true
  if (budget.isTooDeep) return undefined
  const isList = Array.isArray(value)
  const copy: [string, unknown][] = []
  for (const name in value) {
    if (budget.left <= 0) break
    const isHidden = !isList && SECRET_NAME.test(name)
    const inner = (value as Record<string, unknown>)[name]
    copy.push([name, isHidden ? '[redacted]' : beginning(inner, budget, levels - 1)])
  }
  return isList ? copy.map(([, item]) => item) : Object.fromEntries(copy)
}

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** An id in a path or body: a prefixed or bare UUID v7, else INVALID_UUID. */
export const IdSchema = <K extends Kind>(kind: K) =>
  Type.Unsafe<Id<K>>(
    Type.String({
      format: `${kind}-id`,
      description: `Starts with \`${prefixOf(kind)}_\`, which may be left out.`,
    }),
  )

/** The schema of a body or query without unknown members. */
export function strict<T extends Record<string, TSchema>>(members: T, options: object = {}) {
  return Type.Object(members, { additionalProperties: false, ...options })
}

export const EmailSchema = Type.String({
  format: 'email',
  description: 'An e-mail address.',
  examples: ['ada@acme.test'],
})
export const PasswordSchema = Type.String({
  format: 'password',
  writeOnly: true,
  description: '8 to 256 characters, none of the well-known passwords.',
})
/** A language of pages and mails. */
export const LanguageSchema = Type.String({ enum: [...LANGUAGES] })
/** The name of a person or thing; PostgreSQL cannot store a NUL. */
export const NameSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: LABEL_PATTERN,
})
export const ExternalIdSchema = Type.String({
  pattern: EXTERNAL_ID_PATTERN,
  minLength: 1,
  maxLength: 255,
  description:
    'Its id on your platform: letters, digits and `. _ : @ | / + = ~ -`, unique on the installation; upper and lower case differ.',
  examples: ['cus_1042'],
})
export const SecretSchema = Type.String({ minLength: 1, maxLength: 512, writeOnly: true })
export const Moment = Type.String({ format: 'date-time', examples: ['2026-11-20T09:00:00.000Z'] })
/** A moment with a description. */
export const momentWith = (description: string) => Type.String({ ...Moment, description })
/** An answer that is not JSON. */
export const ofType = (type: string, schema: TSchema) => ({ content: { [type]: { schema } } })
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
