import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { DAY, MINUTE } from '#src/core/clock.ts'
import { administrator, apiKey } from './support/people.ts'
import { postern, startPostern } from './support/postern.ts'
import { advanceAtRest } from './support/rest.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

describe('the embedded database after a time of more', () => {
  it('uses freed room again, and is made smaller by the line of the documents, while Postern is stopped', async () => {
    const line = /stop Postern and run `sqlite3 data\/postern\.db (\w+)`/
    const statement = line.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? ''
    const running = await startPostern('sqlite')
    const calls = callsOf(running, await apiKey(running, await administrator(running)))
    const events = Array.from({ length: 40 }, () => ({
      type: 'agent.run.completed',
      data: { ...RUN, output: 'x'.repeat(50_000) },
    }))
    const publish = async () => assert.equal((await calls.post('/v1/events/batch', { events })).status, 202)
    const file = join(running.env.DATA_DIR ?? '', 'postern.db')
    const expire = async () => {
      running.clock.advance(31 * DAY)
      const work = async () => {
        await advanceAtRest(running, MINUTE)
        return running.app.database.db.selectFrom('event').select('id').execute()
      }
      await until(work, (rows) => rows.length === 0, { what: 'the events to be removed' })
    }
    await publish()
    await expire()
    await publish()
    await expire()
    await running.stop()
    const before = statSync(file).size
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
    const after = statSync(file).size
    // Each of the two publications takes two million bytes.
    const freed = before - after
    assert.ok(freed > 1_500_000 && freed < 3_000_000, `${before} bytes, then ${after}`)
    const { DATA_DIR = '' } = running.env
    const again = await startPostern('sqlite', { env0: { DATA_DIR } })
    assert.equal((await postern(again, 'doctor')).code, 0)
    await again.stop()
  })
})
