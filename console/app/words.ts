import { DAY, HOUR, MINUTE, type Millis, now, SECOND, toMillis } from './clock.ts'
import { type Failure, type Issue, isAddress, issuesOf } from './data/failure.ts'

/** Every sentence about failures, and how numbers, times and durations read: the one place for another language. */
export const LANGUAGE = 'en-GB'

const FAILURES: Record<string, { title: string; text?: string }> = {
  NETWORK: {
    title: 'The server cannot be reached',
    text: 'Check your connection. What you typed is still here.',
  },
  TIMEOUT: {
    title: 'The server took too long',
    text: 'It may have done it anyway. Check before you try again.',
  },
  UNEXPECTED_ANSWER: {
    title: 'Unexpected response',
    text: 'A proxy may be in between. Try again in a moment.',
  },
  UNAUTHORIZED: { title: 'Your session has ended', text: 'Sign in to continue where you were.' },
  FORBIDDEN: { title: 'You do not have permission', text: 'Ask an administrator of the organization.' },
  MODULE_NOT_ENABLED: {
    title: 'Your plan does not include this',
    text: 'An administrator can change the plan under Credits.',
  },
  ENTITY_NOT_FOUND: {
    title: 'Not found',
    text: 'It may have been deleted, or belongs to another organization.',
  },
  CONVERSATION_NOT_FOUND: { title: 'Conversation not found' },
  FETCH_FAILED: { title: 'No file could be fetched from the URL' },
  MCP_CLIENT_UNAVAILABLE: { title: 'The MCP server cannot be reached' },
  DUPLICATE: { title: 'This exists already' },
  VALIDATION_FAILED: { title: 'Please check your input' },
  MISSING_REQUIRED_FIELD: { title: 'Something is missing' },
  TYPE_MISMATCH: { title: 'Please check your input' },
  INVALID_UUID: { title: 'This is not a valid ID', text: 'Copy the whole ID again.' },
  RATE_LIMITED: { title: 'Too many requests' },
  INSUFFICIENT_CREDITS: {
    title: 'Not enough credits',
    text: 'See Credits for how to get more.',
  },
  PROCESSING_FAILED: {
    title: 'Something went wrong on the server',
    text: 'The request ID below helps to find it in the log.',
  },
}

/** Reasons that say more than the code of the error; those that forms and dialogs meet are in `refusals.ts`. */
const REFUSALS: typeof FAILURES = {
  organization_disabled: {
    title: 'This organization is disabled',
    text: 'The operator of this server can enable it. Its data is kept.',
  },
  second_factor_required: {
    title: 'This organization requires a second factor',
    text: 'Add one under Your account.',
  },
  organization_sign_in_required: {
    title: 'This organization has a sign-in of its own',
    text: 'Sign out, and sign in with your organization.',
  },
  not_a_member: {
    title: 'You are not a member of this organization',
    text: 'Choose another organization above.',
  },
}

/** Title and text about a failure: what happened, and what one can do. */
export function explain(failure: Failure): { title: string; text: string } {
  const known = REFUSALS[String(failure.details.reason)] ?? FAILURES[failure.code]
  const { title = failure.message, text = failure.message } = known ?? {}
  if (failure.retryAfter !== undefined)
    return { title, text: `Try again in ${duration(failure.retryAfter * SECOND)}.` }
  const reasons = issuesOf(failure).map((issue) => `${issue.field}: ${issueWords(issue)}`)
  const { reason, field } = failure.details
  if (typeof reason === 'string' && field === undefined && !isAddress(reason))
    reasons.push(`Reason: ${reasonWords(reason)}.`)
  return {
    title,
    text: reasons.length === 0 || known?.text !== undefined ? text : reasons.join('. '),
  }
}

const REASONS: Record<string, string> = {}

/** Adds words for reasons: titles with texts for failures, and what is wrong with a field. */
export function addReasons(refusals: typeof FAILURES, reasons: Record<string, string>): void {
  Object.assign(REFUSALS, refusals)
  Object.assign(REASONS, reasons)
}

/** What is wrong with a field: our own words for its reason, or the message of the server. */
export function issueWords({ reason, code, message }: Issue): string {
  const known = REASONS[reason ?? message ?? code] ?? REASONS[reason ?? code]
  return known ?? (reason === undefined ? message : undefined) ?? reasonWords(reason ?? code)
}

/** `too_long` → "too long": a reason without words of its own. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.toLowerCase().replaceAll('_', ' ')
}

const ERRORS: Record<string, string> = {
  timeout: 'timeout',
  dns: 'host not found',
  refused: 'connection refused',
  reset: 'connection lost',
  tls: 'TLS failed',
  invalid_answer: 'invalid HTTP response',
  blocked_address: 'private address',
}

/** Why a call has no response, by its error class. */
export function errorWords(errorClass: unknown): string {
  return (
    ERRORS[String(errorClass)] ??
    textOf(errorClass)
      .replace(/^http_/, '')
      .replaceAll('_', ' ')
  )
}

const numbers = new Intl.NumberFormat(LANGUAGE)
const short = new Intl.NumberFormat(LANGUAGE, { notation: 'compact', maximumFractionDigits: 1 })
const percents = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 })
const exact = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto', style: 'long' })

export const number = (value: number) => numbers.format(value)
export const shortNumber = (value: number) =>
  Math.abs(value) < 10_000 ? numbers.format(value) : short.format(value)
/** Never "100 %" while something failed. */
export const percent = (share: number) => percents.format(share < 1 ? Math.min(share, 0.999) : share)
export const exactTime = (at: Millis) => exact.format(at)

/** "1 delivery", "2 deliveries". */
export function count(many: number, one: string, several = `${one}s`): string {
  return `${number(many)} ${many === 1 ? one : several}`
}

const UNITS: [Millis, Intl.RelativeTimeFormatUnit][] = [
  [365 * DAY, 'year'],
  [30 * DAY, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
]

/** "3 minutes ago", "in 2 hours". */
export function ago(at: Millis, from: Millis = now()): string {
  const apart = at - from
  const [size, unit] = UNITS.find(([size]) => Math.abs(apart) >= size) ?? [SECOND, 'second' as const]
  return relative.format(Math.trunc(apart / size), unit)
}

const PARTS: [Millis, string][] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
]

/** "84 ms", "2.3 s", "5 min", "1 h 20 min": two parts at most. */
export function duration(span: Millis): string {
  if (span < SECOND) return `${Math.round(span)} ms`
  if (span < 10 * SECOND) return `${Math.round(span / 100) / 10} s`
  const parts: string[] = []
  let rest = Math.round(span / SECOND) * SECOND
  for (const [size, name] of PARTS) {
    const many = Math.floor(rest / size)
    if (many === 0 && parts.length === 0) continue
    if (many > 0) parts.push(`${many} ${name}`)
    rest -= many * size
    if (parts.length === 2 || (parts.length === 1 && many === 0)) break
  }
  return parts.join(' ')
}

/** The rarer latencies, and how far each may be from the true one: "p95 120 ms · p99 1.2 s, each within 10 %". */
export function latencyWords({ p95, p99, error }: { p95: Millis; p99: Millis; error: number }): string {
  return `p95 ${duration(p95)} · p99 ${duration(p99)}, each within ${percent(error)}`
}

/** Milliseconds of what may be missing. */
export function millisOf(iso: string | null | undefined): Millis | undefined {
  const at = iso == null ? Number.NaN : toMillis(iso)
  return Number.isNaN(at) ? undefined : at
}

/** A value of the API as text, whatever its type. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `https://api.acme.test/hooks` → `api.acme.test/hooks`: what tells endpoints apart. */
export function shortUrl(url: unknown): string {
  return textOf(url).replace(/^https?:\/\//, '')
}

/** A URL on one line of at most `most` characters. A longer one is cut in its middle, since addresses differ at their ends. */
export function lineOfUrl(url: unknown, most = 44): string {
  const text = shortUrl(url)
  const end = Math.ceil(most / 2)
  return text.length <= most ? text : `${text.slice(0, most - end - 1)}…${text.slice(-end)}`
}
