import { exampleAnswer } from '../../core/error-guide.ts'
import type { Details, ErrorCode } from '../../core/errors.ts'
import { type Document, membersOf, type Placed, resolve, type Schema } from './document.ts'
import { sampleOf } from './samples.ts'

/** An input of an operation: a parameter, or a member of its body. */
interface Input {
  name: string
  schema: Schema
  isOptional: boolean
  words?: string | undefined
  place: string
}

/** `details` of an error as this operation has them; undefined leaves the example of the code. */
type MakeDetails = (operation: Placed, inputs: Input[], document: Document) => object | undefined

const DETAILS: Partial<Record<ErrorCode, MakeDetails>> = {
  FORBIDDEN: ({ 'x-scope': scope, 'x-access': role, method }) => {
    if (scope !== undefined)
      return { reason: role === 'member' ? 'scope_required' : 'administrator_required', scope }
    return method === 'GET' ? undefined : { reason: 'cross_site' }
  },
  MODULE_NOT_ENABLED: (operation) => ({ module: operation['x-module'], plans: ['unlimited'] }),
  VALIDATION_FAILED: () =>
    withIssue({ field: 'unknown', value: 'x' }, 'VALIDATION_FAILED', 'is not known here'),
  INVALID_UUID: (_operation, inputs) => {
    const one = inputs.find(({ schema }) => schema.format?.endsWith('-id') === true)
    return one && { field: one.name, value: 'not-an-id' }
  },
  TYPE_MISMATCH: (_operation, inputs) => {
    const one = inputs.find(({ schema, place }) => schema.type === 'string' && place === 'body')
    return one && withIssue({ field: one.name, value: 1 }, 'TYPE_MISMATCH', 'must be string')
  },
  MISSING_REQUIRED_FIELD: (_operation, inputs) => {
    const one = inputs.find(({ isOptional, place }) => !isOptional && place !== 'path')
    return one && withIssue({ field: one.name }, 'MISSING_REQUIRED_FIELD', 'is required')
  },
  ENTITY_NOT_FOUND: (_operation, inputs, document) => {
    const one = inputs.findLast(({ place }) => place === 'path')
    return one && { field: one.name, value: sampleOf(one.schema, document, one) }
  },
  DUPLICATE: (operation) =>
    operation['x-idempotency-key'] === true
      ? { field: 'Idempotency-Key', reason: 'still_running' }
      : undefined,
}

function withIssue(details: { field: string; value?: unknown }, code: ErrorCode, message: string): object {
  return { ...details, issues: [{ ...details, code, message }] }
}

/** An answer of an operation with that code, as JSON in lines. */
export function errorExample(
  code: ErrorCode,
  operation: Placed,
  document: Document,
  baseUrl: string,
): string {
  const details = DETAILS[code]?.(operation, inputsOf(operation, document), document)
  return JSON.stringify(exampleAnswer(code, baseUrl, details as Details<ErrorCode> | undefined), null, 2)
}

function inputsOf({ parameters = [], requestBody }: Placed, document: Document): Input[] {
  const body = requestBody?.content['application/json']?.schema
  const members = body === undefined ? [] : membersOf(body, document)
  return [
    ...parameters.map(({ name, schema = {}, required, description: words, in: place }) => ({
      ...{ name, schema, words, place },
      isOptional: required !== true,
    })),
    ...members.map((one) => ({ ...one, schema: resolve(one.schema, document), place: 'body' })),
  ]
}
