import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasWritten, noteWritten, onBehalfOf, onBehalfOfAll, whoseBehalf } from './behalf.ts'

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
