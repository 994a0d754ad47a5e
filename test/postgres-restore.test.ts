import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { HOUR } from '#src/core/clock.ts'
import { problemsIn } from './support/doctor.ts'
import { administrator, apiKey, PASSWORD } from './support/people.ts'
import { freshStore, type Postern, postern, startPostern } from './support/postern.ts'
import { startPostgres } from './support/postgres.ts'
import { startReceiver } from './support/receiver.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

/** The PostgreSQL that the tests bring along has no `pg_dump`; one that is installed whole has, for a server of its version. */
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb']
const installed = (
  process.env.POSTGRES_PROGRAMS ?? globSync('/usr/lib/postgresql/*/bin').sort().join(delimiter)
)
  .split(delimiter)
  .filter((folder) => folder !== '' && PROGRAMS.every((program) => existsSync(join(folder, program))))
  .at(-1)
const skip =
  installed === undefined &&
  'no PostgreSQL with pg_dump in /usr/lib/postgresql; POSTGRES_PROGRAMS names the folder of another'

/** The line that an operator reads there. */
function documented(command: string): string {
  const line = readFileSync('docs/operations.md', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${command} `))
  return String(line).replace(/ #.*/, '')
}

describe('a PostgreSQL that was copied by its own tools, as the documents say', { skip }, () => {
  it('is restored by the line of the documents into an empty database: people sign in, and what waited is sent', async () => {
    const server = await startPostgres({ programs: installed ?? '' })
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const settings = (name: string) => ({ DATA_DIR, DATABASE_URL: `${server.url}/${name}` })
    const run = (line: string, env: Record<string, string>) =>
      execFileSync('sh', ['-c', line], {
        cwd: DATA_DIR,
        env: { ...env, PATH: `${installed}${delimiter}${process.env.PATH}` },
        stdio: 'pipe',
        encoding: 'utf8',
      })
    const make = (name: string) =>
      run(`createdb --maintenance-db="$DATABASE_URL" ${name}`, settings('postgres'))
    const started: Postern[] = []
    const start = async (name: string) => {
      const one = await startPostern('postgres', { env0: settings(name) })
      started.push(one)
      return one
    }
    const receiver = await startReceiver()
    receiver.answer = (_call, response) => void response.writeHead(503).end()
    try {
      make('before')
      const before = await start('before')
      const admin = await administrator(before)
      const key = await apiKey(before, admin)
      const calls = callsOf(before, key)
      const webhook = await calls.post('/v1/webhooks', { url: receiver.url, events: ['*'] })
      const event = await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })
      assert.deepEqual([webhook.status, event.status], [201, 202])
      await receiver.count(1)

      run(documented('pg_dump'), settings('before'))
      await started.pop()?.stop()
      make('restored')
      run(documented('pg_restore'), settings('restored'))

      const restored = await start('restored')
      const signIn = { email: admin.email, password: PASSWORD }
      assert.equal((await restored.client().post('/v1/auth/sign-in/email', signIn)).status, 200)
      const { out } = await postern(restored, 'doctor')
      assert.deepEqual(problemsIn(out), [], out)
      receiver.answer = (_call, response) => void response.writeHead(204).end()
      restored.clock.advance(HOUR)
      const deliveries = () => callsOf(restored, key).get(`/v1/webhooks/${webhook.body.id}/deliveries`)
      await until(deliveries, ({ body }) => body.data[0]?.status === 'delivered', {
        what: 'what waited to be delivered',
      })
      assert.deepEqual([...new Set(receiver.received.map((one) => one.event.id))], [event.body.id])
    } finally {
      for (const one of started) await one.stop()
      await receiver.stop()
      await server.stop()
    }
  })
})
