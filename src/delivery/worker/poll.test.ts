import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Id } from '../../core/id.ts'
import { createInHand } from './in-hand.ts'
import { createLook } from './poll.ts'

it('looks for what others left however long replays go on, and moves them on all the same', async () => {
  const done: string[] = []
  const note = (what: string) => void done.push(what)
  let isOver = false
  const look = createLook({
    clock: { now: () => 0, after: () => () => {} },
    store: {
      freeDead: async () => note('freed'),
      nextDue: async () => ({ due: [], after: undefined }),
      claimedBy: async () => [],
      // A replay that has always more to make; at every third step the time of the next look has come.
      async stepReplays() {
        note('step')
        const steps = done.filter((what) => what === 'step').length
        if (steps >= 30) isOver = true
        else if (steps % 3 === 0) void look.now()
        return { webhooks: ['whk_1' as Id<'webhook'>] }
      },
      correct: async () => {},
      release: async () => {},
    } as unknown as Parameters<typeof createLook>[0]['store'],
    lease: { name: 'one', duration: 1 } as Parameters<typeof createLook>[0]['lease'],
    inHand: createInHand(),
    mayLook: () => !isOver,
    waiting: () => [],
    drop() {},
    lapsedAreIn: async () => {},
    claims: { notice() {}, nudge() {} },
    moveOn() {},
    track: (work) => void works.push(work),
  })
  const works = [look.now()]
  for (const work of works) await work
  assert.equal(done.filter((what) => what === 'step').length, 30)
  assert.equal(done.filter((what) => what === 'freed').length, 10)
})
