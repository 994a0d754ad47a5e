import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { createHosts } from '#src/net/hosts.ts'
import { createNameServers } from '#src/net/name-servers.ts'
import { createResolver } from '#src/net/resolver.ts'
import { testClock } from '../support/clock.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import {
  onBothEngines,
  onOneEngineByDay,
  type Postern,
  startPostern,
  usePostern,
} from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { useSender } from '../support/webhooks.ts'

/** Names whose servers never answer, of one organization. */
const SILENT = 60

onOneEngineByDay('names of destinations', (engine) => {
  const started: { postern: Postern; names: NameServer }[] = []
  after(async () => {
    for (const { postern, names } of started) {
      await postern.stop()
      await names.stop()
    }
  })

  /** Postern with a real name server that knows `good.test`, and is silent about every other name. */
  async function start() {
    const names = await startNameServer((name) =>
      name === 'good.test' ? { addresses: ['127.0.0.1'], ttl: 60 } : 'silent',
    )
    const clock = testClock()
    const ask = createNameServers(clock, [names.address])
    const resolve = createResolver({ clock, ask, hosts: createHosts('/nowhere') })
    const postern = await startPostern(engine, { clock, resolve })
    started.push({ postern, names })
    return { postern, names }
  }

  let running: ReturnType<typeof start> | undefined
  const begin = () => {
    running ??= start()
    return running
  }
  const server = async () => (await begin()).postern
  const hostile = useSender(server)
  const other = useSender(server)

  it('time out after five seconds without an answer of the name server, and the attempt is retried', async () => {
    const { register, publish, delivery, postern } = await hostile()
    const { names } = await begin()
    const registering = register('http://late.test/')
    await until(
      () => names.asked.length,
      (asked) => asked > 0,
    )
    postern.clock.advance(5 * SECOND)
    const { id } = await registering
    const asked = names.asked.length
    await publish()
    await until(
      () => names.asked.length,
      (now) => now > asked,
    )
    postern.clock.advance(5 * SECOND)
    const { status, reason, attempts } = await delivery(id, ({ attemptCount }) => attemptCount > 0)
    assert.deepEqual({ status, reason }, { status: 'pending', reason: 'dns' })
    assert.equal(attempts[0].error, 'no name server answered for late.test within 5 s')
  })

  it('of one organization do not delay another organization, although 60 look-ups are not answered', async () => {
    const [bad, good] = [await hostile(), await other()]
    const { names } = await begin()
    // Registers twenty at a time, because each registration waits for its name and holds a connection to the database.
    for (let begun = 0; begun < SILENT; begun += 20) {
      const webhooks = Array.from({ length: 20 }, (_, index) =>
        bad.register(`http://silent-${begun + index}.test/`),
      )
      await until(
        () => new Set(names.asked.filter((name) => name.startsWith('silent-'))).size,
        (asked) => asked >= begun + 20,
      )
      bad.postern.clock.advance(5 * SECOND)
      await Promise.all(webhooks)
    }
    // The deliveries look the names up again.
    const before = names.asked.length
    await bad.publish()
    await until(
      () => names.asked.length - before,
      (packets) => packets >= SILENT,
    )
    const receiver = await good.receiver()
    await good.register(receiver.url.replace('127.0.0.1', 'good.test'))
    await good.publish()
    // The clock is stopped, so a wait for a silent name would never end.
    await receiver.count(1)
  })
})

onBothEngines('names of this machine', (engine) => {
  const sender = useSender(usePostern(engine, { env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' } }))

  it('are found while all threads of the pool for files and hashes are busy', async () => {
    const { receiver, register, publish } = await sender()
    const destination = await receiver()
    await register(destination.url.replace('127.0.0.1', 'localhost'))
    const folder = mkdtempSync(join(tmpdir(), 'postern-fifo-'))
    const fifo = join(folder, 'fifo')
    execFileSync('mkfifo', [fifo])
    // Each occupies a thread until a write.
    let opened = 0
    const held = Array.from({ length: 32 }, () => open(fifo, 'r').finally(() => (opened += 1)))
    try {
      await publish()
      await destination.count(1)
      assert.equal(opened, 0)
    } finally {
      const writer = openSync(fifo, 'r+')
      for (const file of await Promise.all(held)) await file.close()
      closeSync(writer)
      rmSync(folder, { recursive: true })
    }
  })
})
