import { escapeHtml } from '../../core/text/html.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import type { CallAnswer } from '../../net/call.ts'

/** An API's answer in the form for callers. */
export const FetchAnswer = Type.Object({
  status: Type.Integer({ description: "The API's own status; 2xx, 3xx and 4xx are all returned." }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'In lower case. A header that came several times is joined by commas.',
  }),
  body: Type.String(),
  bodyEncoding: Type.String({
    enum: ['text', 'base64'],
    description: '`text` where the bytes are UTF-8, else `base64`.',
  }),
})

/** Headers of the connection to the API, or for browsers. */
const NOT_PASSED_ON =
  /^(?:set-cookie2?|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|proxy-.*)$/

/** Shorter texts may match by chance, and are no secrets. */
const SHORTEST_TOKEN = 8

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why an answer cannot be passed on: a partial or compressed body, which the request excludes, cannot be searched for the token. */
export function whyUnreadable({ status, headers, body }: CallAnswer): string | undefined {
  if (body.length === 0) return undefined
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers
  if (!/^identity$/i.test(String(content)) || !/^chunked$/i.test(String(transfer))) return 'encoded_answer'
  const isPartial = status === 206 || headers['content-range'] !== undefined
  return isPartial ? 'partial_answer' : undefined
}

/** The answer without cookies, hop-by-hop headers and the token, which an API may echo. */
export function toAnswer(answer: CallAnswer, token: string): Static<typeof FetchAnswer> {
  const secrets = token.length < SHORTEST_TOKEN ? [] : spellings(token)
  const without = (text: string) => secrets.reduce((rest, one) => rest.replaceAll(one, '[redacted]'), text)
  const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || NOT_PASSED_ON.test(name) ? [] : [[name, without([value].flat().join(', '))]],
  )
  // One character per byte, so that the token is found in binary bodies, too.
  const clean = Buffer.from(without(answer.body.toString('latin1')), 'latin1')
  return { status: answer.status, headers: Object.fromEntries(headers), ...encoded(clean) }
}

/** The spellings in which services repeat a token: plain, as UTF-16, escaped, or in another base. */
function spellings(token: string): string[] {
  const percent = encodeURIComponent(token)
  const hex = Buffer.from(token).toString('hex')
  const all = [
    token,
    [...token].join('\0'),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(token).slice(1, -1),
    token.replaceAll('/', '\\/'),
    escapeHtml(token),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((shift) => inBase64(token, shift)),
  ]
  return [...new Set(all)]
}

/** The part of a base64 text that a token determines when it starts this many bytes after a group of three. */
function inBase64(token: string, shift: number): string[] {
  const text = Buffer.from('x'.repeat(shift) + token).toString('base64')
  const whole = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + token.length) * 8) / 6))
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')]
}

function encoded(bytes: Buffer): { body: string; bodyEncoding: 'text' | 'base64' } {
  try {
    return { body: utf8.decode(bytes), bodyEncoding: 'text' }
  } catch {
    return { body: bytes.toString('base64'), bodyEncoding: 'base64' }
  }
}
