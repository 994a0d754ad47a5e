import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { connectionsEnv, connectWild, lasting, wildEntry } from '../support/connections.ts'
import { json } from '../support/http-server.ts'
import { onBothEngines, postern, startPostern } from '../support/postern.ts'
import { startWildProvider } from '../support/wild-provider.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const PLANS_FILE = join(folder, 'plans.json')
const common = { requestsPerMinute: null, creditsPerCycle: 2, price: null }
writeFileSync(
  PLANS_FILE,
  JSON.stringify({
    plans: { tiny: { ...common, modules: ['connections'] }, bare: { ...common, modules: [] } },
    prices: { 'connection.fetch': 1 },
  }),
)

onBothEngines('what connections cost', (engine) => {
  it('is a credit for each call that the API answered, and nothing for the others', async () => {
    const wild = await startWildProvider()
    const entry = wildEntry(wild, { clientSecretVariable: 'SOME_SECRET' })
    const more = { SOME_SECRET: 'x', PLANS_FILE, DEFAULT_PLAN: 'tiny' }
    const running = await startPostern(engine, { env: connectionsEnv({ wild: entry }, more) })
    try {
      const admin = await lasting(running)
      const id = await connectWild({ wild }, admin)
      const fetch = (path: string) =>
        running
          .client()
          .post(
            `/v1/connections/${id}/fetch`,
            { method: 'GET', url: `${wild.origin}${path}` },
            { token: admin.token },
          )
      const spent = async () =>
        running.app.database.db
          .selectFrom('ledger_entry')
          .select(['action', 'reference'])
          .where('organization_id', '=', admin.organizationId as never)
          .where('kind', '=', 'debit')
          .execute()
          .then((rows) => rows.map((row) => ({ ...row })))
      assert.equal((await fetch('/one')).status, 200)
      const debit = { action: 'connection.fetch', reference: id }
      assert.deepEqual(await spent(), [debit])
      // A call that the API answers with 503 costs nothing, however often it is made.
      wild.instead = { api: (_request, response) => json(response, {}, 503) }
      for (let round = 0; round < 3; round += 1)
        assertError(await fetch('/down'), 'INTEGRATION_PROVIDER_ERROR')
      wild.instead = {}
      assert.deepEqual(await spent(), [debit])
      assert.equal((await fetch('/two')).status, 200)
      const calls = wild.calls.length
      assertError(await fetch('/three'), 'INSUFFICIENT_CREDITS', { balance: 0, required: 1 })
      assert.equal(wild.calls.length, calls)
      assert.deepEqual(await spent(), [debit, debit])

      const { name } = await running.app.database.db
        .selectFrom('organization')
        .select('name')
        .where('id', '=', admin.organizationId as never)
        .executeTakeFirstOrThrow()
      const changed = await postern(running, 'plan', '--organization', name, '--plan', 'bare')
      assert.equal(changed.code, 0, changed.err)
      running.clock.advance(5_000)
      assertError(await fetch('/four'), 'MODULE_NOT_ENABLED', { module: 'connections' })
    } finally {
      await running.stop()
      await wild.stop()
    }
  })
})
