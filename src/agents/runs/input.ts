import { ApiError } from '../../core/errors.ts'
import { isDeeper } from '../../http/schema/validation.ts'

/** Largest request that starts a run: the escaped input and the other members. */
export const LARGEST_REQUEST = 512 * 1024

const LONGEST_INPUT = 64 * 1024
const LARGEST_METADATA = 16 * 1024
const DEEPEST_METADATA = 32

/** A NUL in JSON: the escape `\u0000`, unless its backslash is itself escaped. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/

/** @throws ApiError VALIDATION_FAILED for rules that a schema cannot express */
export function checkInput({ input, metadata }: { input: string; metadata?: object | undefined }): void {
  if (Buffer.byteLength(input) > LONGEST_INPUT)
    throw new ApiError('VALIDATION_FAILED', { field: 'input', reason: 'too_long' })
  if (metadata === undefined) return
  if (isDeeper(metadata, DEEPEST_METADATA))
    throw new ApiError('VALIDATION_FAILED', { field: 'metadata', reason: 'too_deep' })
  const text = JSON.stringify(metadata)
  if (NUL.test(text)) throw new ApiError('VALIDATION_FAILED', { field: 'metadata', reason: 'nul' })
  if (Buffer.byteLength(text) > LARGEST_METADATA)
    throw new ApiError('VALIDATION_FAILED', { field: 'metadata', reason: 'too_large' })
}
