import type { Fault } from './messages.ts'

/** The file is at fault: `throw new Refusal('too_large', 'more than 256 MiB inflated')`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Fault

  constructor(reason: Fault, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.reason = reason
  }
}

/** Where a limit of the machine was met before one of ours. */
const EXHAUSTED =
  /allocation failed|call stack|invalid (string|array|typed array) length|cannot create a string|out of memory/i

/** What an error of a parser says of the file that it was given. */
export function refusalOf(error: unknown): { reason: Fault; detail: string } {
  const detail = String(error instanceof Error ? error.message : error).slice(0, 200)
  if (error instanceof Refusal) return { reason: error.reason, detail }
  return { reason: EXHAUSTED.test(detail) ? 'too_large' : 'corrupt', detail }
}
