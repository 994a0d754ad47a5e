import { ApiError } from '../core/errors.ts'
import { isDeeper } from '../http/schema/validation.ts'

/** Levels of JSON that are taken: parser and serializer recurse once per level. */
export const DEEPEST_DATA = 100

/** @throws ApiError VALIDATION_FAILED when the value of a field is nested too deeply */
export function refuseDeep(value: unknown, field: string): void {
  if (isDeeper(value, DEEPEST_DATA)) throw new ApiError('VALIDATION_FAILED', { field, reason: 'too_deep' })
}
