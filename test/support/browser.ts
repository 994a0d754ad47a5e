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
    const sent = new Headers(headers)
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`)
    if (this.cookies.size > 0 && !sent.has('cookie')) {
      sent.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    if (body !== undefined && !isRaw && !sent.has('content-type'))
      sent.set('content-type', 'application/json')
    const response = await fetch(new URL(path, this.#baseUrl), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: sent,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    this.#keepCookies(response.headers)
    const text = await readText(response)
    return { status: response.status, headers: response.headers, body: parse(text), text }
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

/** The text of an answer; of a stream that stays open the first event. */
async function readText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.startsWith('id:') && text.includes('event: open') && text.includes('\n\n')) break
  }
  return text
}
