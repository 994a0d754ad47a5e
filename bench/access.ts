import { execFileSync } from 'node:child_process'
import { median, whole } from './figures.ts'
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

/** The rows of the access flows; each round measures Postern and the raw limit one after the other. */
export async function benchAccess({ rounds, durationMs, progress }: Options): Promise<Row[]> {
  const server = await startPostern()
  const bare = await startBare('./raw-fastify.ts')
  const { cookie, bearer } = await signIn(server)
  progress(`${ACCOUNTS} people sign up`)
  const emails = await signUpMany(server, bearer)
  const get = (url: string, path: string, headers: Record<string, string>, connections: number) =>
    load({ url, method: 'GET', path, headers, connections, durationMs, expect: 200 })
  const signIns = (connections: number, duration = durationMs) =>
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
    ours: () => Promise<{ perSecond: number; p99: number }>,
    raw: () => Promise<number>,
    p99Goal?: number,
  ) {
    const results: { ours: number; p99: number; raw: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      progress(`${name}: round ${round + 1}/${rounds}`)
      const measured = await ours()
      results.push({ ours: measured.perSecond, p99: measured.p99, raw: await raw() })
    }
    const ratio = median(results.map((result) => result.ours / result.raw))
    const p99 = median(results.map((result) => result.p99))
    rows.push({
      name,
      measured: `${whole(median(results.map((result) => result.ours)))}/s, p99 ${p99.toFixed(1)} ms`,
      raw: `${whole(median(results.map((result) => result.raw)))}/s (ratio ${ratio.toFixed(2)})`,
      goal: `≥ ${goal} of raw${p99Goal === undefined ? '' : `, p99 < ${p99Goal} ms`}`,
      isMet: ratio >= goal && (p99Goal === undefined || p99 < p99Goal),
    })
  }

  await paired(
    'password sign-ins',
    0.8,
    () => signIns(8),
    () => inProcess<number>('./raw-argon2.ts', { durationMs }),
  )
  await paired(
    '`GET /v1/auth/token`, 16 connections',
    0.5,
    () => get(server.url, '/v1/auth/token', { cookie }, 16),
    async () => (await get(bare.url, '/token', {}, 16)).perSecond,
    10,
  )
  await paired(
    'authenticated `GET /v1/event-types/{type}`, from memory',
    0.6,
    () => get(server.url, '/v1/event-types/file.processed', { authorization: bearer }, 16),
    async () => (await get(bare.url, '/event-type', {}, 16)).perSecond,
  )
  await paired(
    'authenticated `GET /v1/organizations`, from the database',
    0.6,
    () => get(server.url, '/v1/organizations', { authorization: bearer }, 16),
    async () => (await get(bare.url, '/organizations', {}, 16)).perSecond,
  )

  const p95s: number[] = []
  const quiet: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    progress(`token while 200 sign-ins queue: round ${round + 1}/${rounds}`)
    quiet.push((await get(server.url, '/v1/auth/token', { cookie }, 1)).p95)
    const queue = signIns(200, durationMs + 1_000)
    p95s.push((await get(server.url, '/v1/auth/token', { cookie }, 1)).p95)
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
  await server.stop()
  return rows
}
