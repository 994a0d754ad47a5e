import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBoundedMap } from './bounded-map.ts'
import { turn } from './clock.ts'
import { coalesce } from './coalesce.ts'

describe('questions that are asked together', () => {
  it('are those of one turn, and those that come while two are under way', async () => {
    const asked: { keys: string[]; answer: PromiseWithResolvers<Map<string, string>> }[] = []
    const ask = coalesce<string, string>((keys) => {
      const answer = Promise.withResolvers<Map<string, string>>()
      asked.push({ keys, answer })
      return answer.promise
    })
    const all = (index: number) => new Map(asked[index]?.keys.map((key) => [key, key.toUpperCase()]))
    const first = [ask('a'), ask('b'), ask('a')]
    assert.equal(asked.length, 0)
    await turn()
    const second = ask('c')
    await turn()
    const third = [ask('d'), ask('e')]
    await turn()
    assert.deepEqual(
      asked.map(({ keys }) => keys),
      [['a', 'b'], ['c']],
    )
    asked[0]?.answer.resolve(all(0))
    assert.deepEqual(await Promise.all(first), ['A', 'B', 'A'])
    await turn()
    assert.deepEqual(asked[2]?.keys, ['d', 'e'])
    asked[1]?.answer.reject(new Error('no answer'))
    await assert.rejects(second, /no answer/)
    asked[2]?.answer.resolve(new Map([['d', 'D']]))
    assert.deepEqual(await Promise.all(third), ['D', undefined])
    const last = ask('f')
    await turn()
    asked[3]?.answer.resolve(all(3))
    assert.equal(await last, 'F')
  })

  it('are those of as long as one is under way, where many asked that, and of two again where few did', async () => {
    const asked: { keys: string[]; answer: () => void }[] = []
    const ask = coalesce<string, string>((keys) => {
      const { promise, resolve } = Promise.withResolvers<Map<string, string>>()
      asked.push({ keys, answer: () => resolve(new Map()) })
      return promise
    })
    const asks = async (...keys: string[]) => {
      for (const key of keys) void ask(key)
      await turn()
    }
    await asks('a', 'a', 'a', 'b')
    await asks('c')
    await asks('d')
    const keys = () => asked.map((one) => one.keys.join(''))
    assert.deepEqual(keys(), ['ab'])
    asked[0]?.answer()
    await turn()
    await turn()
    await asks('e')
    assert.deepEqual(keys(), ['ab', 'cd', 'e'])
  })
})

describe('a map of bounded size', () => {
  it('forgets what was not set or read for longest', () => {
    const map = createBoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    assert.equal(map.get('a'), 1)
    map.set('c', 3)
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
    map.set('a', 4)
    map.set('d', 5)
    assert.deepEqual([map.get('a'), map.get('c'), map.get('d'), map.size], [4, undefined, 5, 2])
    assert.deepEqual([map.delete('a'), map.delete('a'), map.size], [true, false, 1])
  })
})
