import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  head: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  body: any
}

/**
 * Sends exactly these bytes on a connection of its own and reads the answer: for what a well-behaved client
 * would repair or refuse to send.
 */
export function sendRaw(baseUrl: string, ...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part)
    })
    socket.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk)
      const answer = read(Buffer.concat(chunks).toString('utf8'))
      if (answer === undefined) return
      socket.destroy()
      resolve(answer)
    })
    // The server may close the connection before it has read the whole request.
    socket.on('error', (error) => chunks.length === 0 && reject(error))
    socket.on('close', () => reject(new Error(`closed after: ${Buffer.concat(chunks).toString('latin1')}`)))
  })
}

/** A request's first lines, as text. */
export function rawHead(line: string, headers: Record<string, string | number> = {}): string {
  const all = { host: '127.0.0.1', ...headers }
  const written = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${written.join('')}\r\n`
}

function read(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  const body = text.slice(end + 4)
  if (Buffer.byteLength(body) < length) return undefined
  return {
    status: Number(head.split(' ')[1]),
    head,
    body: body.startsWith('{') ? JSON.parse(body) : undefined,
  }
}
