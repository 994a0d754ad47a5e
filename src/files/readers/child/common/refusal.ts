import type { Fault } from './messages.ts'

/** A failure that the file causes: `throw new Refusal('too_large', 'more than 256 MiB inflated')`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Fault

  constructor(reason: Fault, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.reason = reason
  }
}

/** Messages of errors where a limit of V8 or of the memory was reached before one of ours. */
const EXHAUSTED =
  /allocation failed|call stack|invalid (string|array|typed array) length|cannot create a string|out of memory/i

/** Maps the error of a parser to a fault of the file. */
export function refusalOf(error: unknown): { reason: Fault; detail: string } {
  const detail = String(error instanceof Error ? error.message : error).slice(0, 200)
  if (error instanceof Refusal) return { reason: error.reason, detail }
  return { reason: EXHAUSTED.test(detail) ? 'too_large' : 'corrupt', detail }
}
