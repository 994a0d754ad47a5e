import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { type NameServer, type Said, startNameServer } from '../../test/support/name-server.ts'
import { until } from '../../test/support/waits.ts'
import { SECOND, turn } from '../core/clock.ts'
import type { Resolve } from './destination.ts'
import { createHosts } from './hosts.ts'
import { createNameServers, LOOK_UP_DEADLINE } from './name-servers.ts'
import { createResolver, MOST_UNDER_WAY } from './resolver.ts'

const NAMES: Record<string, Said> = {
  'two.test': { addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'], ttl: 60 },
  'short.test': { addresses: ['192.0.2.3'], ttl: 3 },
  'once.test': { addresses: ['192.0.2.4'], ttl: 0 },
  'broken.test': 'failed',
  single: { addresses: ['192.0.2.5'], ttl: 60 },
}

describe('the resolver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-hosts-'))
  const servers: NameServer[] = []
  after(async () => {
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true })
  })

  async function resolving(say: (name: string, family: number) => Said | undefined = (name) => NAMES[name]) {
    const server = await startNameServer(say)
    servers.push(server)
    const clock = testClock()
    const file = join(folder, `hosts-${servers.length}`)
    const resolve = createResolver({
      clock,
      ask: createNameServers(clock, [server.address]),
      hosts: createHosts(file),
    })
    return { server, clock, file, resolve }
  }

  const addressesOf = async (resolve: Resolve, name: string, owner = 'one') =>
    (await resolve(name, owner)).map(({ address }) => address)
  const packets = ({ asked }: NameServer, name: string) => asked.filter((one) => one === `${name} 4`).length

  it('answers all addresses of a name, both families', async () => {
    const { resolve } = await resolving()
    const found = await resolve('TWO.test.', 'one')
    assert.deepEqual(found, [
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ])
  })

  it('looks a name up unchanged: no search domain of the machine is added', async () => {
    const { resolve, server } = await resolving()
    assert.deepEqual(await addressesOf(resolve, 'single'), ['192.0.2.5'])
    await assert.rejects(resolve('unknown', 'one'), {
      code: 'NAME_NOT_RESOLVED',
      message: 'unknown has no address',
    })
    assert.deepEqual([...new Set(server.asked.map((asked) => asked.split(' ')[0]))], ['single', 'unknown'])
  })

  it('caches an answer for 30 seconds at most, and never longer than its TTL', async () => {
    const { resolve, server, clock } = await resolving()
    const cases = [
      ['two.test', 29, 30],
      ['short.test', 2, 3],
    ] as const
    for (const [name, holds, ends] of cases) {
      const asked = packets(server, name)
      await resolve(name, 'one')
      clock.advance(holds * SECOND)
      await resolve(name, 'one')
      assert.equal(packets(server, name), asked + 1, name)
      clock.advance((ends - holds) * SECOND)
      await resolve(name, 'one')
      assert.equal(packets(server, name), asked + 2, name)
    }
    await resolve('once.test', 'one')
    await resolve('once.test', 'one')
    assert.equal(packets(server, 'once.test'), 2)
    // A clock that is set back does not extend any lifetime.
    await resolve('two.test', 'one')
    const asked = packets(server, 'two.test')
    clock.advance(-60 * SECOND)
    await resolve('two.test', 'one')
    assert.equal(packets(server, 'two.test'), asked + 1)
  })

  it('looks a name up once for concurrent requests of one owner, and caches nothing across owners', async () => {
    const { resolve, server } = await resolving()
    await Promise.all(Array.from({ length: 20 }, () => resolve('two.test', 'one')))
    assert.equal(packets(server, 'two.test'), 1)
    await resolve('two.test', 'other')
    assert.equal(packets(server, 'two.test'), 2)
  })

  it('gives up after five seconds, and repeats the look-up for the next request', async () => {
    let isSilent = true
    const { resolve, clock, server } = await resolving(() => (isSilent ? 'silent' : NAMES['two.test']))
    const late = resolve('silent.test', 'one')
    await until(
      () => packets(server, 'silent.test'),
      (asked) => asked > 0,
    )
    clock.advance(LOOK_UP_DEADLINE)
    await assert.rejects(late, {
      code: 'NAME_NOT_RESOLVED',
      message: 'no name server answered for silent.test within 5 s',
    })
    isSilent = false
    assert.equal((await resolve('silent.test', 'one')).length, 3)
  })

  it('uses the addresses of one family if the query for the other is not answered', async () => {
    const { resolve, clock, server } = await resolving((name, family) =>
      name === 'half.test' && family === 6 ? 'silent' : NAMES['two.test'],
    )
    const half = resolve('half.test', 'one')
    await until(
      () => server.asked.length,
      (asked) => asked >= 2,
    )
    // Once a later query is answered, so are the earlier ones of this half.
    await resolve('two.test', 'other')
    await turn()
    clock.advance(LOOK_UP_DEADLINE)
    assert.equal((await half).length, 2)
  })

  it('reports whether the name does not exist or the servers failed', async () => {
    const { resolve } = await resolving()
    await assert.rejects(resolve('nobody.test', 'one'), { message: 'nobody.test has no address' })
    await assert.rejects(resolve('broken.test', 'one'), {
      message: /^the name servers failed for broken.test \(E/,
    })
  })

  it('does not let unanswered look-ups of one owner delay another owner', async () => {
    const { resolve, clock, server } = await resolving((name) =>
      name.startsWith('silent-') ? 'silent' : NAMES[name],
    )
    const silent = Array.from({ length: 3 * MOST_UNDER_WAY }, (_, index) =>
      resolve(`silent-${index}.test`, 'hostile').then(
        () => 'found',
        (error: Error) => error.message,
      ),
    )
    assert.equal((await resolve('two.test', 'one')).length, 3)
    const begun = () => new Set(server.asked.filter((asked) => /^silent-.* 4$/.test(asked))).size
    // A third at a time; timed-out look-ups make room for waiting ones.
    for (let round = 1; round <= 3; round += 1) {
      await until(begun, (names) => names >= round * MOST_UNDER_WAY)
      assert.equal(begun(), round * MOST_UNDER_WAY, 'no more are under way at once than its share')
      clock.advance(LOOK_UP_DEADLINE)
    }
    for (const message of await Promise.all(silent)) assert.match(message, /^no name server answered/)
  })

  it('reads names of the machine from the present hosts file, and knows localhost without one', async () => {
    const { resolve, file, server } = await resolving()
    assert.deepEqual(await addressesOf(resolve, 'localhost'), ['127.0.0.1', '::1'])
    assert.deepEqual(await addressesOf(resolve, 'deep.localhost.'), ['127.0.0.1', '::1'])
    writeFileSync(
      file,
      '# ours\n10.0.0.7\tinside.test  Other.Test # two names\n::7 inside.test\n127.0.0.1 localhost\n',
    )
    assert.deepEqual(await addressesOf(resolve, 'inside.test'), ['10.0.0.7', '::7'])
    assert.deepEqual(await addressesOf(resolve, 'other.test'), ['10.0.0.7'])
    assert.deepEqual(await addressesOf(resolve, 'localhost'), ['127.0.0.1'])
    writeFileSync(file, '10.0.0.88 inside.test\n')
    assert.deepEqual(await addressesOf(resolve, 'inside.test'), ['10.0.0.88'])
    assert.deepEqual(server.asked, [])
  })
})
