import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../core/id.ts'
import { rebalance } from './rebalance.ts'
import { type Holdings, SHARDS, type Shard, shardOf } from './shard.ts'

/** The table, and what its guards let through. */
function tableOf(shards: Shard[]) {
  let moves = 0
  const change = (one: Shard, owner: string | null) => {
    const row = shards[one.number] as Shard
    if (row.generation !== one.generation) return
    shards[one.number] = { ...row, owner, generation: row.generation + 1 }
    moves += 1
  }
  return {
    shards,
    see: (peers: Holdings['peers']): Holdings => ({ shards: shards.map((one) => ({ ...one })), peers }),
    moves: () => moves,
    act(self: string, seen: Holdings) {
      const { take, give } = rebalance(self, seen, new Set())
      for (const one of give) change(one, null)
      for (const one of take) change(one, self)
    },
  }
}

const peersOf = (ids: string[]) => ids.map((id) => ({ id, isEntitled: true }))
const countsOf = (shards: Shard[], ids: string[]) =>
  ids.map((id) => shards.filter(({ owner }) => owner === id).length)
const fresh = (count = SHARDS, owner: string | null = null): Shard[] =>
  Array.from({ length: count }, (_, number) => ({ number, owner, generation: 0 }))

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
/** Any table: shards of workers that are there, of others that are not, and of nobody. */
const anyTable = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.subarray(NAMES, { minLength: 1 }))
  .chain(([count, alive]) =>
    fc.tuple(
      fc.array(fc.constantFrom(...NAMES, 'dead', null), { minLength: count, maxLength: count }),
      fc.constant(alive),
    ),
  )

describe('a shard', () => {
  it('is worked out from the id alone, for ever the same, and holds about as many webhooks as any other', () => {
    assert.deepEqual(['', 'a', 'whk_0198c1f2-0000-7000-8000-000000000000'].map(shardOf), [197, 237, 72])
    const counts = Array.from({ length: SHARDS }, () => 0)
    const each = 100
    for (let made = 0; made < SHARDS * each; made += 1) {
      const shard = shardOf(newId('webhook', 1_795_000_000_000))
      counts[shard] = (counts[shard] ?? 0) + 1
    }
    // Ten standard deviations.
    for (const count of counts) assert.ok(Math.abs(count - each) < 100, `${count} in one shard`)
  })
})

describe('an even part', () => {
  it('of one worker is all, of two is half each, and who comes second moves no more than that', () => {
    const table = tableOf(fresh())
    table.act('b', table.see(peersOf(['b'])))
    assert.deepEqual(countsOf(table.shards, ['b']), [SHARDS])
    const two = peersOf(['a', 'b'])
    for (const self of ['a', 'b', 'a']) table.act(self, table.see(two))
    assert.deepEqual(countsOf(table.shards, ['a', 'b']), [SHARDS / 2, SHARDS / 2])
    assert.equal(table.moves(), SHARDS + SHARDS)
    for (const self of ['a', 'b']) table.act(self, table.see(two))
    assert.equal(table.moves(), SHARDS + SHARDS, 'nothing moves that need not')
  })

  it('is nothing for who is about to end, and its shards are not free before it has given them up', () => {
    const seen: Holdings = {
      shards: fresh(4, 'a'),
      peers: [
        { id: 'a', isEntitled: false },
        { id: 'b', isEntitled: true },
      ],
    }
    assert.deepEqual(rebalance('b', seen, new Set()), { take: [], give: [] })
    assert.equal(rebalance('a', seen, new Set()).give.length, 4)
  })

  it('goes on giving what is being given, and takes it back where that is too much by now', () => {
    const seen = { shards: fresh(4, 'a'), peers: peersOf(['a', 'b']) }
    const numbers = (giving: number[]) =>
      rebalance('a', seen, new Set(giving)).give.map(({ number }) => number)
    assert.deepEqual(numbers([2, 3]), [2, 3])
    assert.deepEqual(numbers([1, 2, 3]), [1, 2])
    assert.deepEqual(rebalance('a', { ...seen, peers: peersOf(['a']) }, new Set([2, 3])).give, [])
  })

  it('is reached from any table by everybody acting three times, even within one, with no move that is not needed', () => {
    fc.assert(
      fc.property(anyTable, ([owners, alive]) => {
        const table = tableOf(owners.map((owner, number) => ({ number, owner, generation: 0 })))
        const peers = peersOf(alive)
        const before = table.shards.map((one) => ({ ...one }))
        for (let round = 0; round < 3; round += 1) for (const id of alive) table.act(id, table.see(peers))
        const counts = countsOf(table.shards, alive)
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          owners.length,
        )
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1)
        // Whoever had no more than its part has kept all of it.
        const least = Math.floor(owners.length / alive.length)
        for (const id of alive) {
          const had = before.filter(({ owner }) => owner === id)
          if (had.length > least) continue
          for (const { number } of had) assert.equal(table.shards[number]?.owner, id)
        }
        const moved = table.moves()
        for (const id of alive) table.act(id, table.see(peers))
        assert.equal(table.moves(), moved)
      }),
    )
  })

  it('is reached although everybody acts on what is over, and no shard has two owners on the way', () => {
    fc.assert(
      fc.property(anyTable, fc.array(fc.nat(), { maxLength: 40 }), ([owners, alive], choices) => {
        const table = tableOf(owners.map((owner, number) => ({ number, owner, generation: 0 })))
        const peers = peersOf(alive)
        /** What each believes to own, by what the guards let through. */
        const believed = new Map(alive.map((id) => [id, table.see(peers)]))
        for (const choice of choices) {
          const id = alive[choice % alive.length] as string
          if (choice % 3 === 0) believed.set(id, table.see(peers))
          const owned = new Map(table.shards.map(({ number, owner }) => [number, owner]))
          table.act(id, believed.get(id) as Holdings)
          // What another one that is there owned is still its own.
          for (const { number, owner } of table.shards) {
            const was = owned.get(number) ?? null
            if (was !== null && was !== id && alive.includes(was)) assert.equal(owner, was)
          }
        }
        for (let round = 0; round < 3; round += 1) for (const id of alive) table.act(id, table.see(peers))
        const counts = countsOf(table.shards, alive)
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1)
      }),
    )
  })
})
