interface Issue {
  path: (string | number)[]
  message: string
}

interface ErrorResponse {
  error: { code: number; message: string }
}

/** The start of a list of validation issues, which the protocol's package appends to a message. */
const ISSUES_BEGIN = '[\n  {'
const INVALID_PARAMS = -32_602

/**
 * Shortens the error of an answer to one sentence; validation issues get the code for invalid params. Other answers are
 * returned unchanged, byte for byte.
 */
export function normalizeRpcError(answer: string): string {
  // Within a JSON string the quotation marks would be escaped, so only an error of the message itself matches.
  if (!answer.includes('"error":{"code":-32')) return answer
  const failed = JSON.parse(answer) as ErrorResponse
  const { code, message } = failed.error
  const at = message.indexOf(ISSUES_BEGIN)
  const error =
    at < 0
      ? { code, message: message.replace(/[\r\n]/g, ' ') }
      : { code: INVALID_PARAMS, message: sentenceOf(JSON.parse(message.slice(at)) as Issue[]) }
  return JSON.stringify({ ...failed, error: { ...failed.error, ...error } })
}

function sentenceOf([first, ...more]: Issue[]): string {
  if (first === undefined) return 'Invalid params'
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return `Invalid params: ${first.path.join('.')}: ${first.message}${others}`.replace(/[\r\n]/g, ' ')
}
