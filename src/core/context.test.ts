import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  currentInterruption,
  currentOwner,
  hasWritten,
  insideTransaction,
  interruptible,
  isInsideTransaction,
  isOnStandby,
  noteWritten,
  onPrimary,
  onStandby,
  repeatable,
  runForOwner,
  runWithoutOwner,
} from './context.ts'

describe('work for an owner', () => {
  it('knows its owner at any depth, and concurrent work does not', async () => {
    const deep = async () => {
      await Promise.resolve()
      return currentOwner()
    }
    const asked = ['one', 'other'].map((name) => runForOwner(name, async () => deep()))
    assert.equal(currentOwner(), undefined)
    assert.deepEqual(await Promise.all(asked), ['one', 'other'])
    assert.equal(
      runForOwner('one', () => runForOwner(undefined, currentOwner)),
      undefined,
    )
    assert.equal(
      runForOwner('one', () => runWithoutOwner(currentOwner)),
      undefined,
    )
  })

  it('has no owner after its end, successful or not', async () => {
    for (const end of [() => Promise.resolve(), () => Promise.reject(new Error('failed'))]) {
      const go = Promise.withResolvers<void>()
      let left: Promise<string | undefined> | undefined
      const work = runForOwner('one', async () => {
        left = go.promise.then(currentOwner)
        await end()
      })
      await work.catch(() => {})
      go.resolve()
      assert.equal(await left, undefined)
    }
  })

  it('reports whether it has written what a repetition would write twice, and not whether others have', async () => {
    noteWritten()
    assert.equal(hasWritten(), false)
    await runForOwner('one', async () => {
      assert.equal(hasWritten(), false)
      runForOwner('one', noteWritten)
      runWithoutOwner(noteWritten)
      assert.equal(hasWritten(), false)
      await repeatable(async () => {
        noteWritten()
        assert.equal(currentOwner(), 'one')
      })
      assert.equal(hasWritten(), false)
      noteWritten()
      assert.equal(hasWritten(), true)
      assert.equal(repeatable(hasWritten), true)
    })
  })
})

describe('the context of work', () => {
  it('has an owner, a transaction and an interruption, each set without the others', async () => {
    const { signal } = new AbortController()
    const all = () => [currentOwner(), isInsideTransaction(), currentInterruption()]
    assert.deepEqual(all(), [undefined, false, undefined])
    await runForOwner('one', () =>
      interruptible(signal, () =>
        insideTransaction(async () => {
          assert.deepEqual(all(), ['one', true, signal])
          await runForOwner('other', async () => assert.deepEqual(all(), ['other', true, signal]))
        }),
      ),
    )
    await insideTransaction(async () => assert.deepEqual(all(), [undefined, true, undefined]))
  })

  it('has neither owner nor interruption where the work is for all, and stays in its transaction', async () => {
    const { signal } = new AbortController()
    const all = () => [currentOwner(), isInsideTransaction(), currentInterruption()]
    await interruptible(signal, async () => {
      assert.deepEqual(runWithoutOwner(all), [undefined, false, undefined])
      await insideTransaction(async () =>
        assert.deepEqual(runWithoutOwner(all), [undefined, true, undefined]),
      )
    })
  })
})

describe('reads on the standby', () => {
  it('are those of the work itself, at any depth, and not those of its transactions', async () => {
    assert.equal(isOnStandby(), false)
    await onStandby(async () => {
      await Promise.resolve()
      assert.equal(isOnStandby(), true)
      await onPrimary(async () => assert.equal(isOnStandby(), false))
    })
  })

  it('are not those of work for all, which would bring others data that is behind', async () => {
    await onStandby(async () => assert.equal(runWithoutOwner(isOnStandby), false))
  })

  it('end with the work, successful or not: what it began reads from the primary then', async () => {
    for (const end of [() => Promise.resolve(), () => Promise.reject(new Error('failed'))]) {
      const go = Promise.withResolvers<void>()
      let left: Promise<boolean> | undefined
      const work = onStandby(async () => {
        left = go.promise.then(isOnStandby)
        await end()
      })
      await work.catch(() => {})
      go.resolve()
      assert.equal(await left, false)
    }
  })
})
