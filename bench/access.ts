import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { cpuOf, median, whole } from './figures.ts'
import type { LoadResult } from './load.ts'
import type { Options } from './options.ts'
import { inProcess, load, type Served, startBare, startPostern } from './processes.ts'
import type { Row } from './table.ts'

export const PASSWORD = 'correct horse 7 battery'
export const EMAIL = 'ada@acme.test'

/** A signed-in account, as the load needs it. */
interface SignedIn {
  cookie: string
  bearer: string
}

/** Lets the first administrator in by the public doors. */
export async function signIn(server: Served, organization = 'Acme', email = EMAIL): Promise<SignedIn> {
  const invite = [
    'invite',
    '--organization',
    organization,
    '--email',
    email,
    '--role',
    'administrator',
    '--json',
  ]
  const printed = execFileSync(process.execPath, [server.program, ...invite], {
    env: { ...process.env, ...server.env },
    encoding: 'utf8',
  })
  const { token: invitationToken } = JSON.parse(printed) as { token: string }
  const answer = await fetch(`${server.url}/v1/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      firstName: 'Ada',
      lastName: 'L',
      email,
      password: PASSWORD,
      termsAccepted: true,
      invitationToken,
    }),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
  const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
  const { token } = (await (await fetch(`${server.url}/v1/auth/token`, { headers: { cookie } })).json()) as {
    token: string
  }
  return { cookie, bearer: `Bearer ${token}` }
}

/** So many accounts that each is tried by no more than two connections at once, as people are. */
const ACCOUNTS = 100
/** How much more processor time than another checkout a request may take. */
const MOST_MORE = 0.05

/** Signs more people up, with the links that the API hands out. */
export async function signUpMany(server: Served, bearer: string): Promise<string[]> {
  const emails = Array.from({ length: ACCOUNTS }, (_, index) => `person-${index}@acme.test`)
  await Promise.all(
    emails.map(async (email) => {
      const invited = await post(
        server,
        '/v1/invitations',
        { email, sendEmail: false },
        { authorization: bearer },
      )
      const invitationToken = new URL(String(invited.acceptUrl)).searchParams.get('token')
      await post(server, '/v1/auth/sign-up/email', { ...PROFILE, email, invitationToken })
    }),
  )
  return emails
}

const PROFILE = { firstName: 'Ada', lastName: 'L', password: PASSWORD, termsAccepted: true }

async function post(
  server: Served,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()) as Record<string, unknown>
}

/** A measured server, the session of its administrator, and the addresses of the people who sign in. */
interface Site extends SignedIn {
  server: Served
  emails: string[]
}

async function startSite(program?: string): Promise<Site> {
  const server = await startPostern({}, program)
  const person = await signIn(server)
  return { server, ...person, emails: await signUpMany(server, person.bearer) }
}

/**
 * The results of a load: requests a second, the 99th percentile in milliseconds, and microseconds of server
 * processor time for each request.
 */
interface Figures {
  perSecond: number
  p99: number
  cpuEach: number
}

/**
 * The rows of the access flows. Each round measures Postern, another checkout where one is named, and the raw limit one after the other, in
 * an order that turns with the round.
 */
export async function benchAccess({ rounds, durationMs, beside, progress }: Options): Promise<Row[]> {
  progress(`${ACCOUNTS} people sign up`)
  const sites = [await startSite()]
  if (beside !== undefined) sites.push(await startSite(join(beside, 'bin/postern.js')))
  const [ours] = sites as [Site]
  const bare = await startBare('./raw-fastify.ts')
  const get = (url: string, path: string, headers: Record<string, string>, connections: number) =>
    load({ url, method: 'GET', path, headers, connections, durationMs, expect: 200 })
  const signIns = ({ server, emails }: Site, connections: number, duration = durationMs) =>
    load({
      url: server.url,
      method: 'POST',
      path: '/v1/auth/sign-in/email',
      headers: { 'content-type': 'application/json' },
      bodies: emails.map((email) => JSON.stringify({ email, password: PASSWORD })),
      connections,
      durationMs: duration,
      expect: 200,
    })

  const rows: Row[] = []
  async function paired(
    name: string,
    goal: number,
    measure: (site: Site) => Promise<LoadResult>,
    raw: () => Promise<number>,
    p99Goal?: number,
  ) {
    const found = sites.map(() => [] as Figures[])
    const limits: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      progress(`${name}: round ${round + 1}/${rounds}`)
      const turn = [...sites.entries()]
      if (round % 2 === 1) turn.reverse()
      for (const [index, site] of turn) found[index]?.push(await figuresOf(site, measure))
      limits.push(await raw())
    }
    const [own = [], other] = found
    const ratio = median(own.map(({ perSecond }, round) => perSecond / (limits[round] ?? perSecond)))
    const p99 = median(own.map((one) => one.p99))
    rows.push({
      name,
      measured: told(own),
      raw: `${whole(median(limits))}/s (ratio ${ratio.toFixed(2)})`,
      goal: `≥ ${goal} of raw${p99Goal === undefined ? '' : `, p99 < ${p99Goal} ms`}`,
      isMet: ratio >= goal && (p99Goal === undefined || p99 < p99Goal),
    })
    if (other === undefined) return
    const kept = median(own.map(({ cpuEach }, round) => cpuEach / (other[round]?.cpuEach ?? cpuEach)))
    rows.push({
      name: `the same, by ${beside}`,
      measured: told(other),
      raw: `${((kept - 1) * 100).toFixed(1)} % more processor time here`,
      goal: `≤ ${MOST_MORE * 100} % more`,
      isMet: kept <= 1 + MOST_MORE,
    })
  }

  await paired(
    'password sign-ins',
    0.8,
    (site) => signIns(site, 8),
    () => inProcess<number>('./raw-argon2.ts', { durationMs }),
  )
  await paired(
    '`GET /v1/auth/token`, 16 connections',
    0.5,
    ({ server, cookie }) => get(server.url, '/v1/auth/token', { cookie }, 16),
    async () => (await get(bare.url, '/token', {}, 16)).perSecond,
    10,
  )
  await paired(
    'authenticated `GET /v1/event-types/{type}`, from memory',
    0.6,
    ({ server, bearer }) => get(server.url, '/v1/event-types/file.processed', { authorization: bearer }, 16),
    async () => (await get(bare.url, '/event-type', {}, 16)).perSecond,
  )
  await paired(
    'authenticated `GET /v1/organizations`, from the database',
    0.6,
    ({ server, bearer }) => get(server.url, '/v1/organizations', { authorization: bearer }, 16),
    async () => (await get(bare.url, '/organizations', {}, 16)).perSecond,
  )

  const p95s: number[] = []
  const quiet: number[] = []
  const tokens = async () => (await get(ours.server.url, '/v1/auth/token', { cookie: ours.cookie }, 1)).p95
  for (let round = 0; round < rounds; round += 1) {
    progress(`token while 200 sign-ins queue: round ${round + 1}/${rounds}`)
    quiet.push(await tokens())
    const queue = signIns(ours, 200, durationMs + 1_000)
    p95s.push(await tokens())
    await queue
  }
  rows.push({
    name: 'token p95 while 200 sign-ins queue',
    measured: `${median(p95s).toFixed(1)} ms`,
    raw: `${median(quiet).toFixed(1)} ms with nothing else to do`,
    goal: '< 50 ms',
    isMet: median(p95s) < 50,
  })
  await bare.stop()
  for (const { server } of sites) await server.stop()
  return rows
}

async function figuresOf(site: Site, measure: (site: Site) => Promise<LoadResult>): Promise<Figures> {
  const { pid } = site.server
  const before = cpuOf(pid)
  const { perSecond, p99, count } = await measure(site)
  return { perSecond, p99, cpuEach: ((cpuOf(pid) - before) * 1_000) / count }
}

const told = (figures: Figures[]) =>
  `${whole(median(figures.map(({ perSecond }) => perSecond)))}/s, p99 ${median(figures.map(({ p99 }) => p99)).toFixed(1)} ms, ${whole(median(figures.map(({ cpuEach }) => cpuEach)))} µs of CPU each`
