import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { pause } from '#src/core/clock.ts'
import { type Spread, spreadOf } from './figures.ts'
import { moment } from './moment.ts'

/**
 * Receives webhooks in a process of its own. The first part of the path is a group, which is counted by itself;
 * its name says how it is treated:
 *
 * - `each…`: deliveries that come more than once count once;
 * - `first…`: what comes by one path counts once;
 * - `refusing…`: the first two attempts of a delivery are answered 503, and how late the others come is measured;
 *   `refusing-tenth`: of every tenth event only;
 * - `slow…`: taken, 25 s later;
 * - `delayed…`: counted when it comes, and answered 300 ms later.
 *
 * It takes deliveries by HTTPS too where it is started with a second port, and files of a certificate and its key.
 *
 * `GET /count/{group}` answers how many came, `GET /report/{group}` everything, `GET /reset` begins anew.
 */
export interface Report {
  /** Deliveries that were taken. */
  count: number
  /** When the first and the last of them came. */
  firstAt: number
  lastAt: number
  /** From the moment at which the event was to be published to the arrival. */
  latency: Spread
  /** How much later than its wait an attempt came: of the second attempts, of the third ones. */
  late: Spread[]
  /** Deliveries that came again. */
  repeated: number
}

interface Group {
  count: number
  firstAt: number
  lastAt: number
  latencies: number[]
  late: number[][]
  seen: Set<string>
  repeated: number
}

/** The waits before the second and the third attempt. */
const WAITS_MS = [1_000, 5_000]
const REFUSALS = WAITS_MS.length
const SLOW_MS = 25_000
const DELAY_MS = 300

let groups = new Map<string, Group>()
/** When the last answer to a refused delivery went out. */
let refusedAt = new Map<string, number>()

function groupOf(url: string): Group {
  const name = url.split('/', 3)[1] ?? ''
  const known = groups.get(name)
  if (known !== undefined) return known
  const group = {
    count: 0,
    firstAt: 0,
    lastAt: 0,
    latencies: [],
    late: [],
    seen: new Set<string>(),
    repeated: 0,
  }
  groups.set(name, group)
  return group
}

/** What the publisher wrote into the data: which event it is, and when it was to be published. */
function readEvent(body: Buffer): { sequence: number; publishAt: number } {
  return { sequence: numberAfter(body, '"agentId":"'), publishAt: numberAfter(body, '"runId":"') }
}

function numberAfter(body: Buffer, mark: string): number {
  const start = body.indexOf(mark) + mark.length
  return Number(body.toString('latin1', start, body.indexOf(0x22, start)))
}

/** @returns whether this attempt is to be refused */
function noteRefusing(group: Group, request: IncomingMessage, sequence: number, now: number): boolean {
  if (request.url?.startsWith('/refusing-tenth') && sequence % 10 !== 0) return false
  const id = String(request.headers['x-service-delivery'])
  const attempt = Number(request.headers['x-service-attempt'])
  const before = refusedAt.get(id)
  if (attempt > 1 && before !== undefined) {
    group.late[attempt - 2] ??= []
    group.late[attempt - 2]?.push(now - before - (WAITS_MS[attempt - 2] ?? 0))
  }
  if (attempt > REFUSALS) return false
  refusedAt.set(id, now)
  return true
}

function take(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const now = moment()
  const url = request.url ?? ''
  const group = groupOf(url)
  const { sequence, publishAt } = readEvent(body)
  if (url.startsWith('/refusing') && noteRefusing(group, request, sequence, now)) {
    response.writeHead(503).end()
    return
  }
  if (url.startsWith('/slow')) {
    void pause(SLOW_MS).then(() => response.writeHead(204).end())
    return
  }
  if (url.startsWith('/delayed')) void pause(DELAY_MS).then(() => response.writeHead(204).end())
  else response.writeHead(204).end()
  if (url.startsWith('/each')) {
    const id = String(request.headers['x-service-delivery'])
    if (group.seen.has(id)) {
      group.repeated += 1
      return
    }
    group.seen.add(id)
  }
  if (url.startsWith('/first')) {
    if (group.seen.has(url)) return
    group.seen.add(url)
  }
  group.count += 1
  group.firstAt ||= now
  group.lastAt = now
  if (!Number.isNaN(publishAt)) group.latencies.push(now - publishAt)
}

function tell(url: string, response: ServerResponse): void {
  const [, verb, name = ''] = url.split('/', 3)
  if (verb === 'reset') {
    groups = new Map()
    refusedAt = new Map()
  }
  if (verb === 'readyz' || verb === 'reset') return void response.end()
  const group = groupOf(`/${name}`)
  if (verb === 'count') return void response.end(String(group.count))
  const { count, firstAt, lastAt, latencies, late, repeated } = group
  const report: Report = {
    count,
    firstAt,
    lastAt,
    latency: spreadOf(latencies),
    late: WAITS_MS.map((_, index) => spreadOf(late[index] ?? [])),
    repeated,
  }
  response.end(JSON.stringify(report))
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') {
    tell(request.url ?? '', response)
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [first = Buffer.alloc(0)] = chunks
    take(request, response, chunks.length === 1 ? first : Buffer.concat(chunks))
  })
}

function listen(server: ReturnType<typeof createServer>, port: string | undefined): void {
  server.keepAliveTimeout = 60_000
  // On every address of this machine's own network: each stands for a destination of its own.
  server.listen({ port: Number(port), host: '0.0.0.0', backlog: 4_096 })
}

const [port, securePort, certificate = '', key = ''] = process.argv.slice(2)
listen(createServer(receive), port)
if (securePort !== undefined)
  listen(createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key) }, receive), securePort)
