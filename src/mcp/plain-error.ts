interface Issue {
  path: (string | number)[]
  message: string
}

interface Failed {
  error: { code: number; message: string }
}

/** A list of what a schema has found, as the protocol's package puts it at the end of a message. */
const ISSUES_BEGIN = '[\n  {'
const INVALID_PARAMS = -32_602

/**
 * Makes the error of an answer one sentence: findings of a schema become invalid params, whichever code they came with. Other
 * answers are returned unchanged, digit by digit.
 */
export function plainError(answer: string): string {
  // Within a string the quotation marks would be escaped: only an error of the message itself begins like this.
  if (!answer.includes('"error":{"code":-32')) return answer
  const failed = JSON.parse(answer) as Failed
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
