import type { ErrorCode } from './codes.gen.ts'

/** An error of one member of a request. */
export interface Issue {
  code: ErrorCode
  field: string
  [more: string]: unknown
}

/** The `details` of each code that has some; those of any other code are the answer's. */
export interface ErrorDetails {
  INSUFFICIENT_CREDITS: { required?: number; available?: number; [more: string]: unknown }
  RATE_LIMITED: { retryAfterSeconds: number; [more: string]: unknown }
  MODULE_NOT_ENABLED: { module: string; [more: string]: unknown }
  VALIDATION_FAILED: {
    field?: string
    value?: unknown
    reason?: string
    issues?: Issue[]
    [more: string]: unknown
  }
  DUPLICATE: { field?: string; value?: unknown; reason?: string; [more: string]: unknown }
}

/** Codes of the client's own, for calls without an answer of Postern's catalogue. */
export type LocalCode =
  /** No answer: the name was not found, nothing listens, the connection broke. */
  | 'NETWORK'
  /** No answer in time. */
  | 'TIMEOUT'
  /** An answer that is not Postern's, for example a proxy's page. */
  | 'UNEXPECTED_ANSWER'

export type AnyCode = ErrorCode | LocalCode

type DetailsOf<C extends AnyCode> = C extends keyof ErrorDetails ? ErrorDetails[C] : Record<string, unknown>

interface ErrorFacts<C extends AnyCode> {
  code: C
  message: string
  status?: number
  details?: DetailsOf<C>
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/** The error of a failed call. Branch on `code`, which is stable; `isCode` gives `details` its type. */
export class PosternError<C extends AnyCode = AnyCode> extends Error {
  override readonly name = 'PosternError'
  readonly code: C
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  readonly details: DetailsOf<C>
  /** The id of the request, for a question to support. */
  readonly requestId: string | undefined
  /** Seconds after which to try again, where the answer names them. */
  readonly retryAfter: number | undefined

  constructor({ code, message, status = 0, details, requestId, retryAfter, cause }: ErrorFacts<C>) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details ?? ({} as DetailsOf<C>)
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** Whether a thrown value is Postern's error of this code; `details` then has its type. */
export function isCode<C extends AnyCode>(error: unknown, code: C): error is PosternError<C> {
  return error instanceof PosternError && error.code === code
}

/** A longer answer is no error of Postern's. */
const MOST_OF_ERROR = 1_048_576

/** The text of an answer; undefined where it is longer than so many bytes. */
export async function readText({ body }: Response, most: number): Promise<string | undefined> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > most) return void (await reader.cancel())
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

/** The error of an answer, of Postern or of a proxy. */
export async function readError(response: Response): Promise<PosternError> {
  const { status, headers } = response
  const text = (await readText(response, MOST_OF_ERROR).catch(() => '')) ?? ''
  const facts = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(headers),
  }
  const error = readCatalogued(text)
  if (error !== undefined) return new PosternError({ ...facts, ...error })
  const message = `An answer with status ${status} that is not Postern's.`
  return new PosternError({
    ...facts,
    code: 'UNEXPECTED_ANSWER',
    message,
    details: { body: text.slice(0, 500) },
  })
}

function readCatalogued(
  text: string,
): { code: ErrorCode; message: string; details: Record<string, unknown> } | undefined {
  try {
    const { code, message, details } = JSON.parse(text).error
    return typeof code === 'string' ? { code: code as ErrorCode, message, details } : undefined
  } catch {
    return undefined
  }
}

/** `Retry-After`, in seconds or as a date. */
function secondsOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
