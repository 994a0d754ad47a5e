import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { nightly } from '../support/nightly.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { readRoutes } from '../support/routes.ts'
import { callRoute, createTenant, credentials, ownIds } from '../support/tenants.ts'
import { until } from '../support/waits.ts'

const routes = (await readRoutes()).filter(
  ({ method, access }) => method === 'GET' && access !== 'operator' && access !== 'installation',
)

/** Columns that record when and how often something was used, which a read may change. */
const COUNTERS: Record<string, string[]> = {
  api_key: ['last_used_at'],
  api_key_secret: ['last_used_at'],
  service_account: ['last_used_at'],
  session: ['last_seen_at'],
  rate_window: ['window_start', 'count', 'expires_at', 'key'],
  worker: ['alive_until', 'id'],
}

/** What is kept of counts, of who works, and of who watches. */
const PASSED_OVER = ['rate_window', 'worker', 'stream', 'stream_change']

/** Requests between two snapshots of all tables; at night one, so that a failure names the request. */
const BETWEEN_LOOKS = nightly(1, 20)

/** Every row of every table, as text. */
async function snapshot({ app }: Postern): Promise<Map<string, string>> {
  const { db } = app.database
  const rows = new Map<string, string>()
  for (const { name } of await db.introspection.getTables()) {
    const { rows: found } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const left = found.map((row) => {
      for (const column of COUNTERS[name] ?? []) delete row[column]
      return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    })
    rows.set(name, PASSED_OVER.includes(name) ? '' : left.sort().join('\n'))
  }
  return rows
}

onOneEngineByDay('reading', (engine) => {
  const server = usePostern(engine)

  it('changes nothing that another request will be given, whichever GET it is', async () => {
    const postern = await server()
    const tenant = await createTenant(postern)
    const calls = []
    for (const route of routes) {
      const ids = await ownIds(tenant, route)
      const call = credentials(route, tenant.admin)
      calls.push({ route, read: () => callRoute(postern.client(), route, ids, call) })
    }
    // The first reading begins the cycle of the credits, whoever it is that comes first.
    for (const { route, read } of calls) if (route.path.includes('/billing/')) await read()
    // What was made is worked on before: files are read, texts indexed, runs made.
    await until(
      () =>
        postern.app.database.db.selectFrom('job').select('kind').where('status', '=', 'pending').execute(),
      (jobs) => jobs.length === 0,
    )
    const before = await snapshot(postern)
    assert.ok(before.size > 10 && (before.get('account')?.length ?? 0) > 0)
    for (let first = 0; first < calls.length; first += BETWEEN_LOOKS) {
      const some = calls.slice(first, first + BETWEEN_LOOKS)
      for (const { route, read } of some) {
        const { status, text } = await read()
        assert.ok(status < 500, `${route.path}: ${text}`)
      }
      const paths = some.map(({ route }) => route.path).join(', ')
      for (const [table, rows] of await snapshot(postern)) {
        // What works in the background goes on meanwhile.
        if (['delivery', 'attempt', 'lane', 'mail', 'replay', 'event'].includes(table)) continue
        assert.equal(rows, before.get(table), `GET of one of ${paths} changed ${table}`)
      }
    }
  })
})
