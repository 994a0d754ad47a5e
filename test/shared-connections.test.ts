import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type pg from 'pg'
import type { Answer } from './support/browser.ts'
import { holdRows } from './support/held-rows.ts'
import { connectTo, withLineOf } from './support/locks.ts'
import { nightly } from './support/nightly.ts'
import { administrator, PASSWORD, type Person } from './support/people.ts'
import { ENGINES, type Postern, usePostern } from './support/postern.ts'
import { type Route, readRoutes } from './support/routes.ts'
import { callRoute, createTenant, credentials, freshIds, type Tenant } from './support/tenants.ts'
import { until } from './support/waits.ts'
import { RUN } from './support/webhooks.ts'

/** Of fourteen connections three answer any request, and three work in the background. */
const POOL = '14'
/** Of which two answer requests, and one works in the background. */
const SMALLEST = '5'
/** More at once than there are connections for requests. */
const CROWD = 4

const nameOf = ({ method, path }: Route) => `${method} ${path}`
/** Routes that wait for a row of their organization, whatever else they do. */
const KNOWN = ['POST /v1/files', 'POST /v1/files/from-url', 'POST /v1/invitations']
/** By day one in so many routes is asked. */
const PARTS = nightly(1, 3)
/** What changes something, for an organization or for one of its people: a new route is asked without a line here. */
const routes = (await readRoutes())
  .filter(({ method, access }) => method !== 'GET' && ['member', 'administrator', 'session'].includes(access))
  .filter((route, at) => KNOWN.includes(nameOf(route)) || at % PARTS === 0)

/** All rows of an organization and its people, locked by a connection of the test, so that requests wait. */
interface HeldTenant {
  /** How many statements wait for them. */
  inLine(): Promise<number>
  /** Ends the statements that wait: what they were part of is undone. */
  cancelAll(): Promise<void>
  release(): Promise<void>
}

if (ENGINES.includes('postgres'))
  describe('connections to PostgreSQL', () => {
    const server = usePostern('postgres', {
      env: {
        DATABASE_POOL: POOL,
        FILES_ALLOWED_NETWORKS: '127.0.0.0/8',
        MCP_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
    })
    const clients: pg.Client[] = []
    after(() => Promise.all(clients.map((client) => client.end())))
    let made: Promise<{ postern: Postern; crowd: Tenant; other: Tenant; hold: () => Promise<HeldTenant> }>
    const prepare = () => {
      made ??= server().then(async (postern) => {
        const [crowd, other] = [await createTenant(postern), await createTenant(postern)]
        const [holder, observer] = [await connectTo(postern), await connectTo(postern)]
        clients.push(holder, observer)
        return { postern, crowd, other, hold: await holding(holder, observer, crowd) }
      })
      return made
    }
    /** What the others are answered meanwhile: it reads and writes. */
    const ask = ({ postern, admin }: Tenant) =>
      postern.client().post('/v1/api-keys', { name: 'another' }, { token: admin.token })

    const lined = new Set<string>()
    for (const route of routes)
      it(`are left to others while an organization waits for its rows in ${nameOf(route)}`, async () => {
        const { postern, crowd, other, hold } = await prepare()
        const ids = await freshIds(crowd, route, crowd.admin.token)
        const rows = await hold()
        try {
          const answers: Answer[] = []
          const call = { ...credentials(route, crowd.admin), ...bodyOf(route, postern) }
          const calls = Array.from({ length: CROWD }, () =>
            callRoute(postern.client(), route, ids, call).then((answer) => answers.push(answer)),
          )
          const waiting = await until(
            () => rows.inLine(),
            (count) =>
              answers.length === CROWD ||
              (count > 0 && answers.length + count + postern.app.database.waiting() >= CROWD),
            { what: 'requests that have an answer, or wait for a row and behind one another' },
          )
          if (waiting > 0) lined.add(nameOf(route))
          const answer = await ask(other)
          assert.equal(answer.status, 201, answer.text)
          await until(
            () => rows.cancelAll(),
            () => answers.length === CROWD,
            { what: 'the requests that were cut off' },
          )
          await Promise.all(calls)
        } finally {
          await rows.release()
        }
      })

    it('are waited for by most of these routes', () => {
      for (const name of KNOWN) assert.ok(lined.has(name), `${name} waits for nothing`)
      assert.ok(lined.size > routes.length / 2, [...lined].join(', '))
    })

    it('are left to who signs in, and those who wait for their share are answered in the end', async () => {
      const { postern, crowd, other } = await prepare()
      const { organizationId, token } = crowd.admin
      const rows = await holdRows(postern, 'credit_account', 'organization_id = $1', [organizationId])
      const upload = () => postern.client().post('/v1/files?name=a.txt', 'a text', { token })
      try {
        const first = await rows.lineUp(upload)
        const calls = [first.answer, ...Array.from({ length: 20 }, upload)]
        const { email } = other.admin
        const session = postern.client()
        assert.equal(
          (await session.post('/v1/auth/sign-in/email', { email, password: PASSWORD })).status,
          200,
        )
        assert.equal((await session.get('/v1/auth/token')).status, 200)
        await rows.release()
        for (const answer of await Promise.all(calls)) assert.equal(answer.status, 201, answer.text)
      } finally {
        await rows.release()
      }
    })
  })

if (ENGINES.includes('postgres'))
  for (const pool of [POOL, SMALLEST])
    describe(`${pool} connections to PostgreSQL`, () => {
      const server = usePostern('postgres', { env: { DATABASE_POOL: pool } })

      it('are left to health, events and the results of others while that of a job waits for a row of its organization', async () => {
        const postern = await server()
        const [own, other] = [await administrator(postern), await administrator(postern)]
        const upload = ({ token }: Person, headers: Record<string, string> = {}) =>
          postern.client().post('/v1/files?name=a.txt', 'a text', { token, headers })
        assert.equal((await upload(own, { prefer: 'wait=30' })).body.status, 'processed')
        const isOwn = `organization_id = '${own.organizationId}'`
        const rows = await holdRows(postern, 'credit_account', isOwn, [])
        const [holder, observer] = [await connectTo(postern), await connectTo(postern)]
        try {
          const uploaded = await rows.lineUp(() => upload(own))
          // Behind the upload, and before what is paid for when its file has been read.
          const held = await rows.lineUp(() =>
            holder.query(`begin; select 1 from credit_account where ${isOwn} for update`),
          )
          await rows.release()
          const { status, body } = await uploaded.answer
          assert.equal(status, 201)
          await held.answer
          const { pid } = (await holder.query('select pg_backend_pid() as pid')).rows[0]
          await until(
            () => observer.query(`select 1 from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`),
            ({ rowCount }) => rowCount === 1,
            { what: 'a result that waits for its organization' },
          )
          const health = await postern.client().get('/readyz')
          assert.equal(health.status, 200, health.text)
          const event = { type: 'agent.run.completed', data: RUN }
          const published = await postern.client().post('/v1/events', event, { token: other.token })
          assert.equal(published.status, 202, published.text)
          const file = await upload(other, { prefer: 'wait=20' })
          assert.equal(file.body.status, 'processed', file.text)
          await holder.query('rollback')
          await until(
            () => postern.client().get(`/v1/files/${body.id}`, { token: own.token }),
            (answer) => answer.body.status === 'processed',
            { what: 'the file whose result had to wait' },
          )
        } finally {
          await rows.release()
          await Promise.all([holder.end(), observer.end()])
        }
      })
    })

/** What a route is sent instead of the sample that its schema allows. */
function bodyOf(route: Route, { url }: Postern): { body?: object } {
  return nameOf(route) === 'POST /v1/files/from-url' ? { body: { url: `${url}/v1/errors` } } : {}
}

async function holding(
  holder: pg.Client,
  observer: pg.Client,
  tenant: Tenant,
): Promise<() => Promise<HeldTenant>> {
  const { admin, member } = tenant
  const { rows: tables } = await holder.query<{ name: string; column: string }>(
    `select c.table_name as name, c.column_name as column from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema and t.table_type = 'BASE TABLE'
       and (c.column_name in ('organization_id', 'account_id') or (c.table_name in ('organization', 'account') and c.column_name = 'id'))`,
  )
  const people = `('${admin.accountId}', '${member.accountId}')`
  // Rows that another transaction has locked are skipped: waiting for them with others locked could deadlock.
  const selects = tables.map(({ name, column }) => {
    const isPerson = column === 'account_id' || name === 'account'
    const whose = isPerson ? `in ${people}` : `= '${admin.organizationId}'`
    return `select 1 from ${name} where ${column} ${whose} for no key update skip locked`
  })
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  const waiting = withLineOf(Number(rows[0]?.pid))
  return async () => {
    await holder.query(['begin', ...selects].join('; '))
    return {
      async inLine() {
        const found = await observer.query(`${waiting} select count(*)::int as count from line`)
        return Number(found.rows[0].count)
      },
      async cancelAll() {
        await observer.query(`${waiting} select pg_cancel_backend(pid) from line`)
      },
      async release() {
        await holder.query('rollback')
      },
    }
  }
}
