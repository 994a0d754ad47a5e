/** What came instead of an answer: an error of the catalogue, or one of the two that only a browser knows. */
export class Failure extends Error {
  /** `OFFLINE` where nothing answered, `UNKNOWN` where what answered was not Postern. */
  readonly code: string
  readonly status: number
  readonly details: Record<string, unknown>
  readonly requestId: string | undefined
  /** Seconds after which it is worth another try. */
  readonly retryAfter: number | undefined

  constructor(facts: {
    code: string
    status?: number
    message?: string
    details?: Record<string, unknown>
    requestId?: string | undefined
    retryAfter?: number | undefined
  }) {
    super(facts.message ?? facts.code)
    this.name = 'Failure'
    this.code = facts.code
    this.status = facts.status ?? 0
    this.details = facts.details ?? {}
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
  }
}

/** One wrong field of what was sent. */
export interface Issue {
  /** As the API names it: `events.0`, `url`. */
  field: string
  code: string
  reason: string | undefined
}

/** Which fields a failure is about, the first problem first. */
export function issuesOf(failure: Failure): Issue[] {
  const { issues, field, reason } = failure.details
  const listed = Array.isArray(issues) ? (issues as Record<string, unknown>[]) : []
  const all = listed.length > 0 ? listed : field === undefined ? [] : [{ field, reason, code: failure.code }]
  return all.map((one) => ({
    field: String(one.field ?? ''),
    code: String(one.code ?? failure.code),
    reason: one.reason === undefined ? undefined : String(one.reason),
  }))
}

export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  return new Failure({ code: 'UNKNOWN', message: String((thrown as Error)?.message ?? thrown) })
}
