import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { MINUTE, pause, SECOND, turn } from '#src/core/clock.ts'
import { endInTurn, LONGEST_WORK } from '#src/operations/shutdown.ts'
import { Client } from './support/browser.ts'
import { nightly } from './support/nightly.ts'
import { freshStore, onOneEngineByDay } from './support/postern.ts'
import { startPostgres } from './support/postgres.ts'
import { BIN, startProcess } from './support/process.ts'
import { PATIENCE, within } from './support/waits.ts'

/** Why a test cannot begin a process as the first of a namespace, as a container does; undefined where it can. */
const noContainer =
  spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0
    ? undefined
    : 'it needs the right to make a namespace of processes'

onOneEngineByDay('shutdown', (engine) => {
  // By day a request under way is ended by SIGTERM, below.
  for (const [signal, drain] of nightly<[NodeJS.Signals, string][]>(
    [
      ['SIGTERM', '0'],
      ['SIGINT', '1'],
    ],
    [['SIGINT', '1']],
  )) {
    it(`ends with 0 on ${signal}, also when it arrives twice`, async () => {
      const server = await startProcess({ ...(await freshStore(engine)), DRAIN_SECONDS: drain }, BIN)
      server.child.kill(signal)
      assert.equal(await server.end(signal), 0)
      const drained = drain === '0' ? '' : `for ${drain} s it still answers (DRAIN_SECONDS), then `
      assert.ok(
        server
          .err()
          .startsWith(
            `Stopping: ${drained}attempts and requests under way end, which may take 30 s, two minutes`,
          ),
        server.err(),
      )
    })
  }

  it('answers /readyz with 503 from the signal on, and everything else as ever; ends at once on a second signal that comes a second or more later', async () => {
    const server = await startProcess({ ...(await freshStore(engine)), DRAIN_SECONDS: '60' })
    const client = new Client(server.url)
    assert.equal((await client.get('/readyz')).status, 200)
    server.child.kill('SIGTERM')
    await server.says('Stopping')
    const ready = await client.get('/readyz')
    assert.equal(ready.status, 503)
    assert.equal(ready.body.status, 'stopping')
    assert.equal((await client.get('/livez')).status, 200)
    assert.equal((await client.get('/v1/errors')).status, 200)
    // Its own time: what a terminal and npm pass on within a second is one signal.
    await pause(1_500)
    // Ended by the signal, it has no code.
    assert.equal(await server.end('SIGTERM'), null)
  })

  it('ends at once on a second signal as the first process of a container, too', {
    skip: noContainer,
  }, async () => {
    const unshare = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
    const server = await startProcess(
      { ...(await freshStore(engine)), DRAIN_SECONDS: '60' },
      undefined,
      unshare,
    )
    const first = Number(readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8'))
    process.kill(first, 'SIGTERM')
    await server.says('Stopping')
    await pause(1_500)
    process.kill(first, 'SIGTERM')
    assert.equal(await within('the server to end', server.gone), 128 + constants.signals.SIGTERM)
  })

  it('lets a request under way end', async () => {
    const server = await startProcess(await freshStore(engine))
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await within('a connection', once(socket, 'connect'))
    const body = JSON.stringify({ email: 'ada@acme.test', password: 'wrong password' })
    socket.write(
      `POST /v1/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    // The server asks for the body: the request is under way.
    const [asked] = await within('the request for the body', once(socket, 'data'))
    assert.match(String(asked), /^HTTP\/1\.1 100 Continue/)
    server.child.kill('SIGTERM')
    await server.says('Stopping')
    socket.write(body)
    const [answer] = await within('the answer', once(socket, 'data'))
    assert.match(String(answer), /^HTTP\/1\.1 401 /)
    assert.match(String(answer), /\r\nconnection: close\r\n/i)
    assert.equal(await server.gone, 0)
  })
})

describe('shutdown while the store is away', () => {
  it('comes to its end without PostgreSQL, with a code that says that not everything was done', async () => {
    const postgres = await startPostgres()
    try {
      const { DATA_DIR = '' } = await freshStore('sqlite')
      const server = await startProcess({ DATA_DIR, DATABASE_URL: `${postgres.url}/postgres` })
      await postgres.kill()
      assert.equal(await within('the server to end', server.end()), 1)
      assert.match(
        server.err(),
        /^Stopped, but these parts could not be ended in time: jobs, deliveries, lease\./m,
      )
    } finally {
      await postgres.stop()
    }
  })

  it('comes to its end though another process keeps the embedded store from being written', async () => {
    const store = await freshStore('sqlite')
    const server = await startProcess(store)
    // The server may be writing just now.
    const other = new DatabaseSync(join(store.DATA_DIR ?? '', 'postern.db'), { timeout: PATIENCE })
    try {
      other.exec('begin immediate')
      assert.equal(await within('the server to end', server.end()), 1)
      assert.match(server.err(), /^Stopped, but these parts could not be ended in time: /m)
    } finally {
      other.close()
    }
  })

  it('ends within two minutes, however many parts never do and however long each may take', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const hanging = (name: string) => ({ name, end: () => new Promise(() => {}), patience: LONGEST_WORK })
    const names = Array.from({ length: 8 }, (_, index) => `part ${index}`)
    let undone: string[] | undefined
    void endInTurn(
      names.map((name) => [hanging(name)]),
      { error() {} },
    ).then((left) => {
      undone = left
    })
    let waited = 0
    for (; undone === undefined && waited < 10 * MINUTE; waited += SECOND) {
      context.mock.timers.tick(SECOND)
      for (let turns = 0; turns < 20; turns += 1) await turn()
    }
    assert.deepEqual(undone, names)
    assert.ok(waited <= 2 * MINUTE, `${waited / SECOND} s`)
  })

  it('goes on to what comes after a part that fails, and after one that never ends', async () => {
    const ended: string[] = []
    const errors: unknown[] = []
    const log = { error: (data: object) => errors.push(data) }
    const turns = [
      [
        { name: 'failing', end: () => Promise.reject(new Error('it is away')) },
        { name: 'throwing', end: () => assert.fail('at once') },
        { name: 'hanging', end: () => new Promise(() => {}), patience: 20 },
        { name: 'beside', end: () => ended.push('beside') },
      ],
      [{ name: 'after', end: () => ended.push('after') }],
    ]
    assert.deepEqual((await endInTurn(turns, log)).sort(), ['failing', 'hanging', 'throwing'])
    assert.deepEqual(ended, ['beside', 'after'])
    assert.equal(errors.length, 3)
  })
})
