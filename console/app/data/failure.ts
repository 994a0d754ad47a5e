import { type Issue as ApiIssue, PosternError } from '#sdk/errors.ts'

/** An error of the SDK: the refusal of the API, or the reason why no answer came. */
export type Failure = PosternError

/** One wrong field of a request. */
export interface Issue {
  /** As the API names it: `events.0`, `url`. */
  field: string
  code: string
  reason: string | undefined
  /** The server's message for a rule of the schema. */
  message: string | undefined
}

/** Which fields a failure is about, the first problem first. */
export function issuesOf(failure: Failure): Issue[] {
  const { issues, field, reason } = failure.details as {
    issues?: ApiIssue[]
    field?: unknown
    reason?: unknown
  }
  const listed: Record<string, unknown>[] = Array.isArray(issues) ? issues : []
  // The server's own sentence names the setting that allows the address.
  const one: Record<string, unknown> = isAddress(reason)
    ? { field, message: failure.message.replace(/\.$/, '') }
    : { field, reason }
  const all = listed.length > 0 || field === undefined ? listed : [one]
  return all.map((one) => ({
    field: String(one.field ?? ''),
    code: String(one.code ?? failure.code),
    reason: one.reason === undefined ? undefined : String(one.reason),
    message: one.message === undefined ? undefined : String(one.message),
  }))
}

/** Whether something was refused for the address that it leads to. */
export function isAddress(reason: unknown): boolean {
  return reason === 'address_not_allowed' || reason === 'blocked_address'
}

/** Makes a failure that can be shown of anything thrown. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof PosternError) return thrown
  const message = String((thrown as Error)?.message ?? thrown)
  return new PosternError({ code: 'UNEXPECTED_ANSWER', message, cause: thrown })
}
