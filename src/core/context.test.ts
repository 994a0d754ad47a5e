import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  hasWritten,
  insideTransaction,
  interruptible,
  interruptionOf,
  isInsideTransaction,
  noteWritten,
  onBehalfOf,
  onBehalfOfAll,
  whoseBehalf,
} from './context.ts'

describe('what is done on behalf of somebody', () => {
  it('knows of whom, however deep it is, and nobody beside it', async () => {
    const deep = async () => {
      await Promise.resolve()
      return whoseBehalf()
    }
    const asked = ['one', 'other'].map((name) => onBehalfOf(name, async () => deep()))
    assert.equal(whoseBehalf(), undefined)
    assert.deepEqual(await Promise.all(asked), ['one', 'other'])
    assert.equal(
      onBehalfOf('one', () => onBehalfOf(undefined, whoseBehalf)),
      undefined,
    )
    assert.equal(
      onBehalfOf('one', () => onBehalfOfAll(whoseBehalf)),
      undefined,
    )
  })

  it('is nobody’s any more when it has ended, however it did', async () => {
    for (const end of [() => Promise.resolve(), () => Promise.reject(new Error('failed'))]) {
      const go = Promise.withResolvers<void>()
      let left: Promise<string | undefined> | undefined
      const work = onBehalfOf('one', async () => {
        left = go.promise.then(whoseBehalf)
        await end()
      })
      await work.catch(() => {})
      go.resolve()
      assert.equal(await left, undefined)
    }
  })

  it('tells whether it has written, and not what others have', async () => {
    noteWritten()
    assert.equal(hasWritten(), false)
    await onBehalfOf('one', async () => {
      assert.equal(hasWritten(), false)
      onBehalfOf('one', noteWritten)
      onBehalfOfAll(noteWritten)
      assert.equal(hasWritten(), false)
      noteWritten()
      assert.equal(hasWritten(), true)
    })
  })
})

describe('the context of work', () => {
  it('has an owner, a transaction and an interruption, each set without the others', async () => {
    const { signal } = new AbortController()
    const all = () => [whoseBehalf(), isInsideTransaction(), interruptionOf()]
    assert.deepEqual(all(), [undefined, false, undefined])
    await onBehalfOf('one', () =>
      interruptible(signal, () =>
        insideTransaction(async () => {
          assert.deepEqual(all(), ['one', true, signal])
          await onBehalfOf('other', async () => assert.deepEqual(all(), ['other', true, signal]))
        }),
      ),
    )
    await insideTransaction(async () => assert.deepEqual(all(), [undefined, true, undefined]))
  })

  it('has neither owner nor interruption where the work is for all, and stays in its transaction', async () => {
    const { signal } = new AbortController()
    const all = () => [whoseBehalf(), isInsideTransaction(), interruptionOf()]
    await interruptible(signal, async () => {
      assert.deepEqual(onBehalfOfAll(all), [undefined, false, undefined])
      await insideTransaction(async () => assert.deepEqual(onBehalfOfAll(all), [undefined, true, undefined]))
    })
  })
})
