import { PosternError, readText } from './errors.ts'
import { Pages } from './page.ts'
import type { Call, CallOptions, Query, Send } from './request.ts'
import type { StreamEvent, StreamOptions } from './stream.ts'

export type Options = CallOptions & StreamOptions & { query?: Query }

/** Opens the stream that a method is answered with. */
export type OpenStream = (send: Send, call: Call, options: Options) => AsyncIterable<StreamEvent>

/** Makes the method of a route of `routes.gen.ts`: HTTP method and path, then the kinds of its input and output. */
export function toMethod(send: Send, written: string, openStream: OpenStream) {
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
    if (traits.includes('stream')) return openStream(send, call, options)
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
