import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { until, within } from '../../test/support/waits.ts'
import { MINUTE, SECOND, turn } from '../core/clock.ts'
import { type Agent, createAgent, MOST_TO_ORIGIN } from './agent.ts'
import { postTo } from './exchange.ts'

/** More origins than the connections of one owner. */
const MANY = 600
const MOST_OF_ONE = 512

describe('connections to destinations of organizations', () => {
  const agents: Agent[] = []
  let server: Server
  let port = 0
  let isHeld = false
  const held: (() => void)[] = []
  /** The number of connections opened so far, and those that are open. */
  let opened = 0
  const open = new Set<object>()

  before(async () => {
    server = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => {
      if (isHeld) held.push(() => response.end())
      else response.end()
    })
    server.on('connection', (socket) => {
      opened += 1
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    port = (server.address() as AddressInfo).port
  })
  after(async () => {
    for (const answer of held) answer()
    for (const agent of agents) await agent.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  /** By default idle connections outlast the tests, also on a busy machine. */
  const newAgent = (options: { idle?: number } = { idle: 10 * MINUTE }) => {
    const agent = createAgent({ isAllowed: () => true, resolve: async () => [], ...options })
    agents.push(agent)
    return agent
  }
  /** 127.0.0.0/8 is this machine, so it provides any number of origins. */
  const originOf = (index: number) => `http://127.0.${1 + (index >> 8)}.${index & 255}:${port}`

  async function callOnce(agent: Agent, owner: string, origin: string): Promise<void> {
    const { dispatcher, release } = await agent.reserve(owner, origin)
    await postTo(dispatcher, { origin, path: '/', headers: {}, body: Buffer.from('') }, 10).answer
    release()
    // The connection is released at the end of this turn.
    await turn()
  }

  it('are reused only for their owner', async () => {
    const agent = newAgent()
    const [before, origin] = [opened, originOf(1)]
    for (let call = 0; call < 3; call += 1) await callOnce(agent, 'one', origin)
    assert.equal(opened, before + 1)
    await callOnce(agent, 'other', origin)
    assert.equal(opened, before + 2)
  })

  it('are closed after ten seconds without use, even if the destination would keep them longer', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const agent = newAgent({ idle: 10 * SECOND })
    const [before, all] = [open.size, opened]
    await callOnce(agent, 'idle', originOf(3))
    context.mock.timers.tick(10 * SECOND - 1)
    await callOnce(agent, 'idle', originOf(3))
    context.mock.timers.tick(10 * SECOND - 1)
    for (let turns = 0; turns < 20; turns += 1) await turn()
    assert.deepEqual([open.size, opened], [before + 1, all + 1])
    context.mock.timers.tick(1)
    context.mock.timers.reset()
    await until(
      () => open.size,
      (now) => now === before,
      { what: 'the idle connection to be closed' },
    )
  })

  it('are closed after a second without use if requests are not repeated, even if the destination would keep them longer', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const agent = newAgent({})
    const [before, all] = [open.size, opened]
    await callOnce(agent, 'once', originOf(5))
    context.mock.timers.tick(SECOND - 1)
    await callOnce(agent, 'once', originOf(5))
    assert.equal(opened, all + 1)
    context.mock.timers.tick(SECOND)
    context.mock.timers.reset()
    await until(
      () => open.size,
      (now) => now === before,
      { what: 'the idle connection to be closed' },
    )
  })

  it('are at most 512 for one owner, and those of another owner stay open', async () => {
    const agent = newAgent()
    const origin = originOf(1)
    await callOnce(agent, 'other', origin)
    const before = open.size
    for (let index = 0; index < MANY; index += 1) await callOnce(agent, 'many', originOf(index))
    await until(
      () => open.size,
      (now) => now <= before + MOST_OF_ONE,
    )
    assert.ok(open.size > before)
    const all = opened
    await callOnce(agent, 'other', origin)
    assert.equal(opened, all, 'the connection of the other owner is still open')
  })

  it('are opened again after one was aborted during a request, or could not be opened', async () => {
    const agent = newAgent()
    const origin = originOf(4)
    const [before, all] = [open.size, opened]
    isHeld = true
    const { dispatcher, release } = await agent.reserve('one', origin)
    const exchange = postTo(dispatcher, { origin, path: '/', headers: {}, body: Buffer.from('') }, 10)
    await until(
      () => held.length,
      (calls) => calls === 1,
    )
    exchange.abort(new Error('too late'))
    await assert.rejects(exchange.answer, { message: 'too late' })
    release()
    isHeld = false
    held.splice(0)
    await callOnce(agent, 'one', origin)
    assert.equal(opened, all + 2)
    await assert.rejects(callOnce(agent, 'one', 'http://127.0.0.1:1'), { code: 'ECONNREFUSED' })
    await callOnce(agent, 'one', origin)
    assert.equal(opened, all + 2)
    await until(
      () => open.size,
      (now) => now === before + 1,
      { what: 'one connection to be left' },
    )
  })

  it('make their own owner wait in turn when all to an origin are in use; another owner does not wait, and a wait can be aborted', async () => {
    const agent = newAgent()
    const origin = originOf(2)
    isHeld = true
    const under = Array.from({ length: MOST_TO_ORIGIN }, () => callOnce(agent, 'slow', origin))
    await until(
      () => held.length,
      (calls) => calls === MOST_TO_ORIGIN,
    )
    const turns: number[] = []
    const waiting = [1, 2].map((turn) => callOnce(agent, 'slow', origin).then(() => turns.push(turn)))
    const over = new AbortController()
    const givenUp = agent.reserve('slow', origin, over.signal)
    over.abort(new Error('too late'))
    await assert.rejects(givenUp, { message: 'too late' })
    isHeld = false
    await within('a call of another owner', callOnce(agent, 'quick', origin))
    assert.deepEqual(turns, [])
    held.shift()?.()
    await within('the first in the queue', waiting[0] as Promise<number>)
    for (const answer of held.splice(0)) answer()
    await Promise.all([...under, ...waiting])
    assert.deepEqual(turns, [1, 2])
  })
})
