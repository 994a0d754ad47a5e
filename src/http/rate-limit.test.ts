import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { RATES, type Rates } from '../core/limits.ts'
import { BUILT_IN_PLANS } from '../core/plans.ts'
import type { Principal } from './principal.ts'
import {
  createLimiter,
  limitRequest,
  limitStranger,
  memoryCounter,
  networkOf,
  secondsUntil,
} from './rate-limit.ts'

const START = 1_795_000_000_000
const rates: Rates = {
  ...RATES,
  publicPerIp: { max: 3, windowMs: MINUTE },
  tokenPerSession: { max: 2, windowMs: MINUTE },
  signInPerIp: { max: 2, windowMs: 10 * SECOND },
}

function refusal(thrown: unknown): number | undefined {
  assert.ok(thrown instanceof ApiError, String(thrown))
  assert.equal(thrown.code, 'RATE_LIMITED')
  return thrown.details.retryAfterSeconds as number | undefined
}

describe('a counter in memory', () => {
  it('counts within a window, and starts again at its end', async () => {
    const counter = memoryCounter()
    assert.deepEqual(await counter.add('a', MINUTE, START), { count: 1, resetAt: START + MINUTE })
    assert.deepEqual(await counter.add('a', MINUTE, START + MINUTE - 1), {
      count: 2,
      resetAt: START + MINUTE,
    })
    assert.deepEqual(await counter.add('b', MINUTE, START), { count: 1, resetAt: START + MINUTE })
    assert.deepEqual(await counter.add('a', MINUTE, START + MINUTE), {
      count: 1,
      resetAt: START + 2 * MINUTE,
    })
  })

  it('only reads with an increment of zero', async () => {
    const counter = memoryCounter()
    assert.deepEqual(await counter.add('a', MINUTE, START, 0), { count: 0, resetAt: START + MINUTE })
    await counter.add('a', MINUTE, START)
    assert.equal((await counter.add('a', MINUTE, START, 0)).count, 1)
  })

  it('returns each of two callers its own count', async () => {
    const counter = memoryCounter()
    const [first, second] = await Promise.all([
      counter.add('a', MINUTE, START),
      counter.add('a', MINUTE, START),
    ])
    assert.deepEqual([first.count, second.count], [1, 2])
    const mine = await counter.add('a', MINUTE, START)
    mine.count = 100
    assert.equal((await counter.add('a', MINUTE, START)).count, 4)
  })

  it('removes ended windows when it holds many, and never current ones', async () => {
    const windows = new Map()
    const counter = memoryCounter(windows)
    const fill = async (name: string, count: number, now: number, windowMs: number) => {
      for (let index = 0; index < count; index += 1) await counter.add(`${name} ${index}`, windowMs, now)
    }
    await counter.add('kept', 2 * MINUTE, START)
    await fill('old', 19_999, START, MINUTE)
    assert.equal(windows.size, 20_000)
    // A window that has just ended no longer counts.
    await counter.add('late', MINUTE, START + MINUTE)
    assert.deepEqual([...windows.keys()], ['kept', 'late'])
    assert.equal((await counter.add('kept', 2 * MINUTE, START + MINUTE)).count, 2)
    // Where no key can be removed, the next sweep waits for twice as many keys.
    await fill('young', 30_000, START + MINUTE, MINUTE)
    assert.equal(windows.size, 30_002)
    await counter.add('more', MINUTE, START + 3 * MINUTE)
    assert.equal(windows.size, 30_003)
    await fill('rest', 9_997, START + 3 * MINUTE, MINUTE)
    assert.equal(windows.size, 40_000)
    await counter.add('last', MINUTE, START + 3 * MINUTE)
    assert.equal(windows.size, 9_999)
  })
})

describe('a limiter', () => {
  it('accepts requests within the rate, and then reports the whole second in which a retry succeeds', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    for (let time = 0; time < 2; time += 1) await limiter.take('x', 'signInPerIp', START)
    const thrown = await limiter.take('x', 'signInPerIp', START + 500).catch((error: unknown) => error)
    assert.equal(refusal(thrown), 10)
    await limiter.take('x', 'signInPerIp', START + 500 + 10 * SECOND)
    await limiter.take('y', 'signInPerIp', START)
  })

  it('does not count against limits after a full one, and reports the longest wait', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    for (let time = 0; time < 2; time += 1) await limiter.take('x', ['signInPerIp', 'publicPerIp'], START)
    // The first limit is full: the second has one left, which is not used up.
    for (let time = 0; time < 5; time += 1)
      assert.equal(
        refusal(
          await limiter.take('x', ['signInPerIp', 'publicPerIp'], START).catch((error: unknown) => error),
        ),
        10,
      )
    await limiter.take('x', 'publicPerIp', START)
    const both = await limiter
      .take('x', ['signInPerIp', 'publicPerIp'], START)
      .catch((error: unknown) => error)
    assert.equal(refusal(both), 60)
    assert.deepEqual(limiter.limit('publicPerIp', 'x'), {
      name: 'publicPerIp',
      key: 'publicPerIp:x',
      rate: rates.publicPerIp,
    })
  })

  it('checks a limit without counting', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    await limiter.take('x', 'signInPerIp', START)
    for (let time = 0; time < 3; time += 1) await limiter.check('x', 'signInPerIp', START)
    await limiter.take('x', 'signInPerIp', START)
    const thrown = await limiter.check('x', 'signInPerIp', START + 500).catch((error: unknown) => error)
    assert.equal(refusal(thrown), 10)
    await limiter.check('x', 'signInPerIp', START + 10 * SECOND)
    await limiter.check('y', 'signInPerIp', START)
  })

  it('waits at least one second, and rounds up', () => {
    assert.equal(secondsUntil(START, START), 1)
    assert.equal(secondsUntil(START - 5_000, START), 1)
    assert.equal(secondsUntil(START + 1_000, START), 1)
    assert.equal(secondsUntil(START + 1_001, START), 2)
  })
})

interface Asked {
  headers: Record<string, string>
  refused: number | undefined
}

/** One request in the form that the server passes to the limiter. */
async function ask(
  limiter: ReturnType<typeof createLimiter>,
  principal: Principal,
  { ip = '192.0.2.1', now = START, config = {} }: { ip?: string; now?: number; config?: object } = {},
): Promise<Asked> {
  const headers: Record<string, string> = {}
  const reply = {
    header(name: string, value: string) {
      headers[name] = value
      return reply
    },
  } as unknown as FastifyReply
  const request = { principal, ip, now, routeOptions: { config } } as unknown as FastifyRequest
  const thrown = await limitRequest(request, reply, limiter, BUILT_IN_PLANS).catch((error: unknown) => error)
  return { headers, refused: thrown === undefined ? undefined : refusal(thrown) }
}

const nobody: Principal = { kind: 'nobody' }
const session = { kind: 'session', sessionId: 'ses_1' } as unknown as Principal
const keyOf = (plan: string, organizationId = 'org_1') =>
  ({ kind: 'apiKey', plan, organizationId }) as unknown as Principal

describe('the limits of a request', () => {
  it('are those of the plan for callers with an organization, from any address', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    const first = await ask(limiter, keyOf('free'))
    assert.deepEqual(first, {
      headers: { 'ratelimit-policy': '"free";q=60;w=60', ratelimit: '"free";r=59;t=60' },
      refused: undefined,
    })
    for (let time = 1; time < 60; time += 1) await ask(limiter, keyOf('free'), { ip: `192.0.2.${time}` })
    const over = await ask(limiter, keyOf('free'), { now: START + 1_500 })
    assert.deepEqual(over, {
      headers: { 'ratelimit-policy': '"free";q=60;w=60', ratelimit: '"free";r=0;t=59' },
      refused: 59,
    })
    assert.equal((await ask(limiter, keyOf('free', 'org_2'))).refused, undefined)
  })

  it('are none for a plan without any, for the operator, and for a route with rates of its own', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    for (let time = 0; time < 5; time += 1) {
      assert.deepEqual(await ask(limiter, keyOf('unlimited')), { headers: {}, refused: undefined })
      assert.deepEqual(
        await ask(limiter, { kind: 'operator' } as Principal, { config: { rates: ['signInPerIp'] } }),
        { headers: {}, refused: undefined },
      )
      assert.deepEqual(await ask(limiter, nobody, { config: { ownRate: true } }), {
        headers: {},
        refused: undefined,
      })
    }
  })

  it('are those of the session for a cookie and of the network for callers without credentials, or with invalid ones', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    assert.equal((await ask(limiter, session)).headers['ratelimit-policy'], '"tokenPerSession";q=2;w=60')
    assert.equal((await ask(limiter, session, { ip: '192.0.2.9' })).refused, undefined)
    assert.equal((await ask(limiter, session)).refused, 60)
    for (let time = 0; time < 2; time += 1) assert.equal((await ask(limiter, nobody)).refused, undefined)
    const stranger = { ip: '192.0.2.1', now: START } as FastifyRequest
    await limitStranger(stranger, limiter)
    assert.equal(refusal(await limitStranger(stranger, limiter).catch((error: unknown) => error)), 60)
    assert.equal((await ask(limiter, nobody)).refused, 60)
    assert.equal((await ask(limiter, nobody, { ip: '192.0.2.2' })).refused, undefined)
  })

  it('are combined with those of the route, which are announced first', async () => {
    const limiter = createLimiter(memoryCounter(), rates)
    const asked = await ask(limiter, nobody, { config: { rates: ['signInPerIp'] } })
    assert.deepEqual(asked.headers, {
      'ratelimit-policy': '"signInPerIp";q=2;w=10, "publicPerIp";q=3;w=60',
      ratelimit: '"signInPerIp";r=1;t=10, "publicPerIp";r=2;t=60',
    })
  })
})

describe('a network', () => {
  it('is an IPv4 address or an IPv6 /64, however it was written', () => {
    assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
    assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
    assert.equal(networkOf('2001:DB8:1:2::9'), networkOf('2001:db8:1:2:ffff::1'))
    assert.notEqual(networkOf('2001:db8:1:3::9'), networkOf('2001:db8:1:2::9'))
    assert.equal(networkOf('nonsense'), 'unknown')
    assert.equal(networkOf(''), 'unknown')
  })
})
