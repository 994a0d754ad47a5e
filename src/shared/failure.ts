import { CATALOGUE, type ErrorCode } from '../core/errors.ts'
import { sentenceOfFailure } from '../core/failure-messages.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Nullable } from '../http/schema/validation.ts'

/** Why the last work on a file or a document failed. @param description of the member that holds it */
export const FailureSchema = (description: string) =>
  Type.Object(
    {
      code: Type.String({ description: 'A code of the catalogue.' }),
      reason: Nullable(Type.String({ examples: ['encrypted', 'too_large', 'no_text'] })),
      message: Type.String({ description: 'The cause, and the remedy.' }),
    },
    { description },
  )

export type Failure = Static<ReturnType<typeof FailureSchema>>

/** The failure that a row of a file or a document keeps, with its sentences; null where its last work has not failed. */
export function toFailure({
  error_code: code,
  error_reason: reason,
}: {
  error_code: string | null
  error_reason: string | null
}): Failure | null {
  if (code === null) return null
  return { code, reason, message: sentenceOfFailure(code, reason) ?? CATALOGUE[code as ErrorCode].message }
}
