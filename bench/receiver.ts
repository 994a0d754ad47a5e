import { createServer } from 'node:http'
import { fromIso, systemClock } from '../src/core/clock.ts'

/**
 * Receives webhooks and counts: `GET /count` tells how many came and how long each took from its acceptance
 * (`createdAt` of the envelope) to its arrival, `GET /reset` begins anew. A path `/slow` never answers.
 */
let count = 0
let latencies: number[] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    if (request.url === '/reset') {
      count = 0
      latencies = []
    }
    if (request.url === '/readyz') return void response.end()
    latencies.sort((a, b) => a - b)
    const at = (share: number) =>
      latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
    response.end(JSON.stringify({ count, p50: at(0.5), p95: at(0.95), p99: at(0.99) }))
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url?.startsWith('/slow')) return
    count += 1
    const created = /"createdAt":"([^"]+)"/.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
    if (created !== undefined) latencies.push(systemClock.now() - (fromIso(created) ?? 0))
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '127.0.0.1')
