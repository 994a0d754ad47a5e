import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Job } from '../job.ts'
import { ALL_SHARDS } from '../shards/shards.ts'
import { createInHand } from './in-hand.ts'
import { createPoll } from './poll.ts'

it('finds what others left however long there is more to make, and makes it all the same', async () => {
  const done: string[] = []
  const note = (what: string) => void done.push(what)
  let isOver = false
  const poll = createPoll<Job>({
    clock: { now: () => 0, after: () => () => {} },
    store: {
      freeDead: async () => note('freed'),
      nextDue: async () => ({ due: [], after: undefined }),
      claimedBy: async () => [],
      correct: async () => {},
      release: async () => {},
      interrupt() {},
    },
    lease: { name: 'one', duration: 1 } as Parameters<typeof createPoll>[0]['lease'],
    inHand: createInHand<Job>(),
    shards: ALL_SHARDS,
    mayPoll: () => !isOver,
    waiting: () => [],
    drop() {},
    lapsedAreIn: async () => {},
    // There is always more; at every third step the time of the next poll has come.
    async makeMore() {
      note('step')
      const steps = done.filter((what) => what === 'step').length
      if (steps >= 30) isOver = true
      else if (steps % 3 === 0) void poll.now()
      return ['lane']
    },
    claims: { notice() {}, nudge() {} },
    moveOn() {},
    track: (work) => void works.push(work),
  })
  const works = [poll.now()]
  for (const work of works) await work
  assert.equal(done.filter((what) => what === 'step').length, 30)
  assert.equal(done.filter((what) => what === 'freed').length, 10)
})
