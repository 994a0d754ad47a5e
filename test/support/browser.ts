import { Agent, type Dispatcher, request } from 'undici'

/** Connections are kept while a test thinks, and end with the server. */
const connections = new Agent({ keepAliveTimeout: 3_000 })

/** An answer, read: what tests look at. */
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  body: any
  text: string
}

export interface Call {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  token?: string
}

/** A client with a cookie jar of its own, as a person's browser or curl would be. */
export class Client {
  readonly cookies = new Map<string, string>()
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  async call(path: string, { method, body, headers = {}, token }: Call = {}): Promise<Answer> {
    const sent: Record<string, string> = { accept: '*/*', 'user-agent': 'node' }
    for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value
    if (token !== undefined) sent.authorization = `Bearer ${token}`
    if (this.cookies.size > 0)
      sent.cookie ??= [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    if (body !== undefined && !isRaw) sent['content-type'] ??= 'application/json'
    const answer = await request(new URL(path, this.#baseUrl), {
      dispatcher: connections,
      method: (method ?? (body === undefined ? 'GET' : 'POST')) as Dispatcher.HttpMethod,
      headers: sent,
      body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
    })
    const read = readHeaders(answer.headers)
    this.#keepCookies(read)
    const text = await readText(read, answer.body)
    return { status: answer.statusCode, headers: read, body: parse(text), text }
  }

  get(path: string, call: Call = {}): Promise<Answer> {
    return this.call(path, call)
  }

  post(path: string, body: unknown = {}, call: Call = {}): Promise<Answer> {
    return this.call(path, { ...call, method: 'POST', body })
  }

  patch(path: string, body: unknown, call: Call = {}): Promise<Answer> {
    return this.call(path, { ...call, method: 'PATCH', body })
  }

  delete(path: string, call: Call = {}): Promise<Answer> {
    return this.call(path, { ...call, method: 'DELETE' })
  }

  #keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const split = pair.indexOf('=')
      const [name, value] = [pair.slice(0, split), pair.slice(split + 1)]
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readHeaders(headers: Dispatcher.ResponseData['headers']): Headers {
  const read = new Headers()
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) read.append(name, value)
  return read
}

/** The text of an answer; of a stream that stays open the first event. */
async function readText(headers: Headers, body: Dispatcher.ResponseData['body']): Promise<string> {
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return body.text()
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.startsWith('id:') && text.includes('event: open') && text.includes('\n\n')) break
  }
  return text
}
