import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { until } from '../../test/support/waits.ts'
import { MINUTE } from '../core/clock.ts'
import { createCompressed } from './compressed.ts'

const CONTENT = Buffer.from(Array.from({ length: 2_000 }, (_, at) => `const a${at}=${at * 7919};`).join('\n'))

describe('a compressed file of the console', () => {
  it('is compressed quickly for the first request, and as small as possible for later ones', async (test) => {
    let now = 0
    test.mock.method(performance, 'now', () => now)
    const find = createCompressed(new Map([['a.js', CONTENT]]))
    const sizeOf = async () => {
      const found = await find('a.js', 'br')
      assert.deepEqual(brotliDecompressSync(found?.content ?? ''), CONTENT)
      return found?.content.length ?? 0
    }
    const first = await sizeOf()
    const best = brotliCompressSync(CONTENT).length
    assert.ok(first > best)
    assert.equal(await sizeOf(), first)
    now = MINUTE
    await until(sizeOf, (size) => size === best, { what: 'the best packing' })
  })

  it('is compressed once for concurrent requests', async () => {
    const find = createCompressed(new Map([['a.js', CONTENT]]))
    const [one, other] = await Promise.all([find('a.js', 'gzip, br'), find('a.js', 'br')])
    assert.equal(one?.content, other?.content)
  })
})
