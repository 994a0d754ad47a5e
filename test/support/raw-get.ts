import { get, type IncomingHttpHeaders } from 'node:http'

export interface Got {
  status: number
  headers: IncomingHttpHeaders
  /** As it came over the wire: still packed. */
  body: Buffer
}

/** Requests exactly this path, without the corrections that a browser makes. */
export function rawGet(baseUrl: string, path: string, headers: Record<string, string>): Promise<Got> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    get({ hostname, port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    }).on('error', reject)
  })
}
