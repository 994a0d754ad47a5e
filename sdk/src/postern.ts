import { PosternError, readText } from './errors.ts'
import { Pages } from './page.ts'
import {
  type Call,
  type CallOptions,
  createSend,
  type PosternOptions,
  type Query,
  type Send,
} from './request.ts'
import { ROUTES } from './routes.gen.ts'
import { EventStream, type StreamOptions } from './stream.ts'
import type { Methods } from './types.gen.ts'

export type * from './codes.gen.ts'
export { type AnyCode, type ErrorDetails, isCode, type LocalCode, PosternError } from './errors.ts'
export { type Page, Pages } from './page.ts'
export type { Bytes, CallOptions, PosternOptions } from './request.ts'
export { EventStream, type StreamEvent, type StreamOptions } from './stream.ts'
export type * from './types.gen.ts'

/** Gives each route its method. */
const WithMethods = class {
  constructor(send: Send) {
    for (const [name, entry] of Object.entries(ROUTES)) {
      const methods =
        typeof entry === 'string'
          ? toMethod(send, entry)
          : Object.fromEntries(
              Object.entries(entry).map(([method, route]) => [method, toMethod(send, route)]),
            )
      Object.assign(this, { [name]: methods })
    }
  }
} as new (
  send: Send,
) => Methods

/**
 * A client of one Postern. Its methods are grouped by subject: `postern.webhooks.list()`. Their arguments are the parts of
 * the path, then the body or the query, then the options of the call (`CallOptions`).
 */
export class Postern extends WithMethods {
  constructor(options: PosternOptions) {
    super(createSend(options))
  }
}

type Options = CallOptions & StreamOptions & { query?: Query }

/** Makes the method of a route of `routes.gen.ts`: HTTP method and path, then the kinds of its input and output. */
function toMethod(send: Send, written: string) {
  const [method = '', path = '', ...traits] = written.split(' ')
  const [takesQuery, takesBody] = [traits.includes('query'), traits.includes('body')]
  const places: string[] = path.match(/\{\w+\}/g) ?? []
  return (...args: unknown[]) => {
    const rest = args.slice(places.length)
    const input = takesQuery || takesBody ? rest.shift() : undefined
    const options = (rest[0] ?? {}) as Options
    const call: Call = {
      method,
      path: path.replace(/\{\w+\}/g, (place) => partOf(place, args[places.indexOf(place)])),
      query: takesQuery ? (input as Query) : options.query,
      body: takesBody ? input : undefined,
      isOnce: traits.includes('once'),
      options,
    }
    if (traits.includes('page')) return new Pages((cursor) => send(nextPage(call, cursor), readJson))
    if (traits.includes('stream')) return new EventStream(send, call, options)
    if (traits.includes('response')) return send({ ...call, accept: '*/*' }, (response) => response)
    return send(call, readJson)
  }
}

/** @throws TypeError for an empty part: the path would be another route */
function partOf(place: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !/^\.\.?$/.test(value)) return encodeURIComponent(value)
  throw new TypeError(`${place.slice(1, -1)} must be a text that is not empty.`)
}

function nextPage(call: Call, cursor: string | undefined): Call {
  return cursor === undefined ? call : { ...call, query: { ...call.query, cursor } }
}

/** The longest answer that is read; every page of a list is far shorter. */
const MOST_OF_JSON = 256 * 1_048_576

/** @returns undefined for an empty answer */
async function readJson(response: Response) {
  const text = await readText(response, MOST_OF_JSON)
  try {
    return text === '' ? undefined : JSON.parse(text ?? '-')
  } catch (cause) {
    throw new PosternError({
      code: 'UNEXPECTED_ANSWER',
      message: 'The answer is no JSON.',
      status: response.status,
      cause,
    })
  }
}
