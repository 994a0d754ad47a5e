import { type Static, Type } from 'typebox'
import type { CallAnswer } from '../net/call.ts'

/** What an API answered, as a caller gets it. */
export const FetchAnswer = Type.Object({
  status: Type.Integer({ description: "The API's own; 2xx, 3xx and 4xx are all handed over." }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'In lower case. A header that came several times is joined by commas.',
  }),
  body: Type.String(),
  bodyEncoding: Type.String({
    enum: ['text', 'base64'],
    description: '`text` where the bytes are UTF-8, else `base64`.',
  }),
})

/** About the connection to the API, or meant for a browser that is not there. */
const NOT_PASSED_ON =
  /^(?:set-cookie2?|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|proxy-.*)$/

/** What is shorter could stand anywhere, and is nobody's secret. */
const SHORTEST_TOKEN = 8

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The answer without what is not the caller's: cookies, hop-by-hop headers, and the token itself, where an API
 * echoes what it was sent.
 */
export function toAnswer(answer: CallAnswer, token: string): Static<typeof FetchAnswer> {
  const without = (text: string) =>
    token.length < SHORTEST_TOKEN ? text : text.replaceAll(token, '[redacted]')
  const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || NOT_PASSED_ON.test(name) ? [] : [[name, without([value].flat().join(', '))]],
  )
  // One character a byte: the token is found in bytes that are no text, too.
  const clean = Buffer.from(without(answer.body.toString('latin1')), 'latin1')
  return { status: answer.status, headers: Object.fromEntries(headers), ...encoded(clean) }
}

function encoded(bytes: Buffer): { body: string; bodyEncoding: 'text' | 'base64' } {
  try {
    return { body: utf8.decode(bytes), bodyEncoding: 'text' }
  } catch {
    return { body: bytes.toString('base64'), bodyEncoding: 'base64' }
  }
}
