import { ApiError } from '../core/errors.ts'
import { Type } from '../http/schema/type.ts'

/** The name of a character encoding (https://encoding.spec.whatwg.org). */
export const Charset = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[A-Za-z0-9_.:+-]+$',
  description: 'The character encoding; it overrides that of the `Content-Type`.',
  examples: ['shift_jis'],
})

/** @returns the standard name of an encoding @throws ApiError VALIDATION_FAILED `unknown_charset` */
export function mustBeCharset(charset: string): string {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    throw new ApiError('VALIDATION_FAILED', {
      field: 'charset',
      value: charset.slice(0, 256),
      reason: 'unknown_charset',
    })
  }
}
