import { Pages } from './page.ts'
import { type CallOptions, createSend, type PosternOptions, type Query, type Send } from './request.ts'
import { ROUTES } from './routes.gen.ts'
import { EventStream, type StreamOptions } from './stream.ts'
import type { Methods } from './types.gen.ts'

export { type AnyCode, type ErrorDetails, isCode, type LocalCode, PosternError } from './errors.ts'
export { type Page, Pages } from './page.ts'
export type { CallOptions, PosternOptions } from './request.ts'
export { EventStream, type StreamEvent, type StreamOptions } from './stream.ts'
export type * from './types.gen.ts'

/** A route as `routes.gen.ts` writes it: its method and path, what its first argument after the path is, what comes back. */
interface Route {
  verb: string
  path: string
  takes: 'query' | 'body' | 'nothing'
  gives: 'json' | 'page' | 'stream' | 'response'
}

type More = StreamOptions & { query?: Query }

/** Gives each route a method, at its place. */
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
 * A client of one Postern. Its methods stand by what they are about: `postern.webhooks.list()`. First come the parts of the
 * path, then the body or the query, then how to call (`CallOptions`).
 */
export class Postern extends WithMethods {
  constructor(options: PosternOptions) {
    super(createSend(options))
  }
}

function toMethod(send: Send, written: string) {
  const [verb = '', path = '', takes, gives] = written.split(' ')
  const route = { verb, path, takes: takes ?? 'nothing', gives: gives ?? 'json' } as Route
  const places = path.match(/\{\w+\}/g) ?? []
  return (...args: unknown[]) => {
    const filled = places.reduce(
      (left, place, at) => left.replace(place, encodeURIComponent(String(args[at]))),
      path,
    )
    const rest = args.slice(places.length)
    const input = route.takes === 'nothing' ? undefined : rest.shift()
    return call(send, { ...route, path: filled }, input, (rest[0] ?? {}) as CallOptions & More)
  }
}

function call(
  send: Send,
  { verb: method, path, takes, gives }: Route,
  input: unknown,
  options: CallOptions & More,
) {
  const query = takes === 'query' ? (input as Query) : options.query
  const one = { method, path, query, body: takes === 'body' ? input : undefined, options }
  if (gives === 'page')
    return new Pages((cursor) =>
      send({ ...one, query: cursor === undefined ? query : { ...query, cursor } }, readJson),
    )
  if (gives === 'stream') return new EventStream(send, one, options)
  if (gives === 'response') return send({ ...one, accept: '*/*' }, (response) => response)
  return send(one, readJson)
}

/** undefined where there is nothing to be read. */
async function readJson(response: Response) {
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
