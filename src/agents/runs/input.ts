import { ApiError } from '../../core/errors.ts'
import { isDeeper } from '../../http/schema/validation.ts'

/** A request that starts a run: the input with its escapes, and what goes with it. */
export const LARGEST_REQUEST = 512 * 1024

const LONGEST_INPUT = 64 * 1024
const LARGEST_METADATA = 16 * 1024
const DEEPEST_METADATA = 32

/** NUL as JSON writes it, and not a text that says how: a backslash before it would be one of its own. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/

/** @throws ApiError VALIDATION_FAILED for what a schema cannot say */
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
