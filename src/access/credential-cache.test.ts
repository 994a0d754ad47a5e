import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, newId } from '../core/id.ts'
import type { Principal } from '../http/principal.ts'
import { type CredentialCache, createCredentialCache, type PlatformCredential } from './credential-cache.ts'
import type { Claims } from './read-credential.ts'
import type { GrantClaims } from './read-grant-token.ts'

const NOW = 1_795_000_000_000
const nobody: Principal = { kind: 'nobody' }

describe('what is kept of credentials', () => {
  let asked: string[]
  let notified: (string | undefined)[]
  let forgotten: number
  let cache: CredentialCache
  beforeEach(() => {
    asked = []
    notified = []
    forgotten = 0
    cache = createCredentialCache(
      (account) => {
        notified.push(account)
      },
      () => {
        forgotten += 1
      },
    )
  })

  function whose(name: string, now: Millis = NOW) {
    return cache.whose(name, now, async () => {
      asked.push(name)
      return nobody
    })
  }

  const claims = { role: 'member' } as Claims
  function claimsOf(token: string) {
    return cache.claimsOf(token, async () => {
      asked.push(token)
      return claims
    })
  }

  it('is a verdict, for five seconds', async () => {
    assert.equal(await whose('a'), nobody)
    assert.equal(await whose('a', NOW + 5 * SECOND - 1), nobody)
    assert.deepEqual(asked, ['a'])
    assert.equal(await whose('a', NOW + 5 * SECOND), nobody)
    assert.deepEqual(asked, ['a', 'a'])
  })

  it('is no verdict of a clock that was ahead', async () => {
    await whose('a')
    await whose('a', NOW - 1)
    assert.deepEqual(asked, ['a', 'a'])
    await whose('a', NOW - 1)
    assert.deepEqual(asked, ['a', 'a'])
  })

  it('is one verdict for each credential, and none of one that is not good', async () => {
    const find = async () => undefined
    assert.equal(await cache.whose('a', NOW, find), undefined)
    assert.equal(await whose('a'), nobody)
    await whose('b')
    assert.deepEqual(asked, ['a', 'b'])
  })

  it('is forgotten at once, here alone or in all processes', async () => {
    await whose('a')
    cache.forget()
    await whose('a')
    assert.deepEqual([asked.length, notified], [2, []])
    cache.clear()
    await whose('a')
    assert.deepEqual([asked.length, notified], [3, [undefined]])
  })

  it('is forgotten of some people, here alone or in all processes, while verdicts about others and about keys stay', async () => {
    const [ada, bob] = [newId('account', NOW), newId('account', NOW)]
    const of = (name: string, accountId?: Id<'account'>) =>
      cache.whose(name, NOW, async () => {
        asked.push(name)
        return (accountId === undefined ? nobody : { kind: 'account', accountId }) as Principal
      })
    const all = async () => {
      asked = []
      for (const [name, account] of [['a', ada], ['a2', ada], ['b', bob], ['key']] as const)
        await of(name, account)
      await cache.platformKey('platform', NOW, async () => {
        asked.push('platform')
        return {} as PlatformCredential
      })
      return asked
    }
    assert.deepEqual(await all(), ['a', 'a2', 'b', 'key', 'platform'])
    cache.forget([ada])
    assert.deepEqual([await all(), notified], [['a', 'a2'], []])
    cache.clearPeople([ada, bob])
    assert.deepEqual(
      [await all(), notified],
      [
        ['a', 'a2', 'b'],
        [ada, bob],
      ],
    )
    assert.deepEqual(await all(), [])
    cache.clear()
    assert.deepEqual(await all(), ['a', 'a2', 'b', 'key', 'platform'])
    assert.equal(forgotten, 3)
    const found = Promise.withResolvers<Principal>()
    const early = cache.whose('c', NOW, () => found.promise)
    cache.forget([ada])
    found.resolve(nobody)
    await early
    asked = []
    await whose('c')
    assert.deepEqual(asked, ['c'])
  })

  it('is no verdict that was begun before something changed', async () => {
    const found = Promise.withResolvers<Principal>()
    const early = cache.whose('a', NOW, () => found.promise)
    cache.forget()
    found.resolve(nobody)
    assert.equal(await early, nobody)
    await whose('a')
    assert.deepEqual(asked, ['a'])
  })

  it('is looked up once for concurrent callers', async () => {
    const found = Promise.withResolvers<Principal>()
    const find = () => {
      asked.push('a')
      return found.promise
    }
    const callers = Array.from({ length: 64 }, () => cache.whose('a', NOW, find))
    const other = whose('b')
    assert.equal(await other, nobody)
    found.resolve(nobody)
    for (const caller of await Promise.all(callers)) assert.equal(caller, nobody)
    assert.deepEqual(asked, ['a', 'b'])
  })

  it('is looked up anew by callers that come after a change, and by those that waited during one', async () => {
    const found = Promise.withResolvers<Principal>()
    const before = cache.whose('a', NOW, () => found.promise)
    const waiting = whose('a')
    cache.forget([newId('account', NOW)])
    const after = whose('a')
    assert.equal(await after, nobody)
    const ended: Principal = { kind: 'operator' } as Principal
    found.resolve(ended)
    assert.equal(await before, ended)
    assert.equal(await waiting, nobody)
    assert.equal(await whose('a'), nobody)
    assert.deepEqual(asked, ['a', 'a'])
  })

  it('is no refusal that another caller got, but an error of the look-up', async () => {
    const refused = Promise.withResolvers<undefined>()
    const first = cache.whose('a', NOW, () => refused.promise)
    const second = whose('a')
    refused.resolve(undefined)
    assert.deepEqual([await first, await second], [undefined, nobody])
    const failing = async (error: Error) => {
      const { promise, reject } = Promise.withResolvers<Principal>()
      const callers = [cache.whose('b', NOW, () => promise), whose('b')]
      reject(error)
      return (await Promise.allSettled(callers)).map(({ status }) => status)
    }
    const isElsewhere = new ApiError('FORBIDDEN', { reason: 'address_not_allowed' })
    assert.deepEqual(await failing(isElsewhere), ['rejected', 'fulfilled'])
    cache.forget()
    assert.deepEqual(await failing(new Error('the connection was lost')), ['rejected', 'rejected'])
    assert.deepEqual(asked, ['a', 'b'])
  })

  it('is bounded: of 10,000 credentials the one used longest ago is forgotten', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => String(index))
    for (const name of [...names, ...names]) await whose(name)
    assert.deepEqual(asked, names)
    for (const name of ['one more', 'one more', '0']) await whose(name)
    assert.deepEqual(asked.slice(10_000), ['one more', '0'])
  })

  it('is crowded out by no tokens that are not good, however many are shown', async () => {
    await claimsOf('a')
    for (let index = 0; index < 10_001; index += 1) await cache.claimsOf(`x${index}`, async () => undefined)
    await claimsOf('a')
    assert.deepEqual(asked, ['a'])
  })

  it('is what a token says, however often verdicts are cleared, and nothing of a token that is not good', async () => {
    assert.equal(await cache.claimsOf('a', async () => undefined), undefined)
    assert.equal(await claimsOf('a'), claims)
    cache.clear()
    assert.equal(await claimsOf('a'), claims)
    assert.deepEqual(asked, ['a'])
    const granted = { scope: 'openid' } as GrantClaims
    assert.equal(await cache.grantClaimsOf('a', async () => granted), granted)
    assert.equal(await cache.grantClaimsOf('a', async () => undefined), granted)
  })
})
