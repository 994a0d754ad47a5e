import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, SECOND } from './clock.ts'
import { ApiError } from './errors.ts'
import {
  derivedId,
  type Id,
  idFloor,
  KINDS,
  type Kind,
  momentOf,
  newId,
  nextIdBoundary,
  packIds,
  parseId,
  readId,
  unpackIds,
} from './id.ts'

/** Each test uses a later time than the others, because the ids of one process depend on earlier ones. */
let epoch = 1_795_000_000_000
const START = () => {
  epoch += 10 * DAY
  return epoch
}
const SHAPE = /^[a-z]{3}_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const many = (count: number, now: number) => Array.from({ length: count }, () => newId('delivery', now))
const isOrdered = (ids: string[]) => ids.every((id, index) => index === 0 || id > String(ids[index - 1]))

describe('an identifier', () => {
  it('can be derived from its owner: another for each moment and place, and always the same', () => {
    const now = START()
    const owner = newId('delivery', now)
    const first = derivedId('attempt', owner, now, 1)
    assert.match(first, SHAPE)
    assert.equal(momentOf(first), now)
    assert.equal(derivedId('attempt', owner, now, 1), first)
    for (const other of [
      derivedId('attempt', owner, now, 2),
      derivedId('attempt', owner, now + 1, 1),
      derivedId('attempt', newId('delivery', now), now, 1),
    ])
      assert.notEqual(other, first)
  })

  it('is the prefix of its kind and a UUID of version 7', () => {
    const now = START()
    const prefixes = KINDS.map((kind) => newId(kind, now).slice(0, 4))
    assert.equal(new Set(prefixes).size, KINDS.length)
    for (const kind of KINDS) assert.match(newId(kind, now), SHAPE)
    assert.equal(newId('webhook', now).slice(0, 4), 'whk_')
    assert.equal(newId('delivery', now).slice(0, 4), 'dlv_')
    assert.equal(newId('event', now).slice(0, 4), 'evt_')
  })

  it('holds the moment at which it was made, from the first millisecond on', () => {
    const now = START()
    assert.equal(momentOf(newId('event', now)), now)
    const small = newId('event', 0x0001_2345_6789)
    assert.equal(small.slice(0, 18), 'evt_00012345-6789-')
    assert.equal(momentOf(small), 0x0001_2345_6789)
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.integer({ min: 0, max: 2 ** 48 - 1 }), (kind, moment) => {
        assert.equal(momentOf(idFloor(kind, moment)), moment)
      }),
    )
  })

  it('is ordered by its moment, and within a millisecond by the order of the calls', () => {
    const now = START()
    assert.ok(isOrdered([...many(2_000, now), ...many(10, now + 1), ...many(10, now + 2)]))
  })

  it('borrows from the next millisecond where one holds no more, and goes on from there', () => {
    const now = START()
    const ids = many(10_000, now)
    assert.ok(isOrdered(ids))
    assert.equal(momentOf(ids[0] as Id<'delivery'>), now)
    // 4,096 fit a millisecond; the first of each begins below the middle, at random.
    const perMoment = Map.groupBy(ids, momentOf)
    for (const { length } of perMoment.values()) assert.ok(length <= 4_096)
    const full = [...perMoment.values()].slice(0, -1)
    assert.ok(full.length >= 2)
    for (const { length } of full) assert.ok(length > 2_048, String(length))
    const [last] = many(1, now)
    assert.equal(momentOf(last as Id<'delivery'>), Math.max(...perMoment.keys()))
    // The clock has passed the borrowed milliseconds.
    assert.equal(momentOf(newId('delivery', now + 10)), now + 10)
  })

  it('uses every place of a millisecond once, the last one included', () => {
    const now = START()
    const places = many(9_000, now)
      .filter((id, _index, [first]) => momentOf(id) === momentOf(first as Id<'delivery'>) + 1)
      .map((id) => Number.parseInt(id.slice(4).split('-')[2]?.slice(1) ?? '', 16))
    const [first = 0] = places
    assert.deepEqual(
      places,
      Array.from({ length: 4_096 - first }, (_, index) => first + index),
    )
  })

  it('begins each millisecond at a place that nobody can tell, below the middle', () => {
    const now = START()
    const places = Array.from({ length: 200 }, (_, index) =>
      Number.parseInt(
        newId('event', now + index)
          .split('-')[2]
          ?.slice(1) ?? '',
        16,
      ),
    )
    assert.ok(places.every((place) => place <= 0x7ff))
    assert.ok(new Set(places).size > 150)
    assert.ok(Math.max(...places) > 0x400)
  })

  it('stays in order while the clock is set back by ten seconds, and follows one that is set back further', () => {
    const now = START()
    const before = newId('event', now)
    const kept = newId('event', now - 10 * SECOND)
    assert.ok(kept > before)
    assert.equal(momentOf(kept), now)
    assert.equal(momentOf(newId('event', now - 10 * SECOND - 1)), now - 10 * SECOND - 1)
    const later = newId('event', now)
    assert.equal(momentOf(newId('event', now - HOUR)), now - HOUR)
    assert.equal(momentOf(later), now)
  })

  it('repeats no random part, however many are made', () => {
    const now = START()
    const tails = many(5_000, now).map((id) => id.slice(-17))
    assert.equal(new Set(tails).size, tails.length)
    // Two bits of the first digit are the variant of the UUID; the other two are random.
    assert.deepEqual([...new Set(tails.map((tail) => tail[0]))].sort(), ['8', '9', 'a', 'b'])
    for (const place of [1, 2, 3, 5, 10, 16])
      assert.equal(new Set(tails.map((tail) => tail[place])).size, 16, `place ${place}`)
  })
})

describe('the floor of a moment', () => {
  it('is below all that is made then or later, and above all that was made before', () => {
    const now = START()
    const before = newId('event', now - 1)
    const floor = idFloor('event', now)
    assert.ok(before < floor)
    assert.ok(newId('event', now) > floor)
    assert.match(floor, SHAPE)
    assert.equal(floor.slice(-22), '7000-8000-000000000000')
  })

  it('parts what has been made from what will be, though the clock was set back in between', () => {
    const now = START()
    for (const clock of [now, now, now - 1, now - 9 * SECOND, now + 5]) {
      const before = many(20, clock)
      const floor = idFloor('delivery', nextIdBoundary(clock))
      const after = many(20, clock)
      assert.ok(before.every((id) => id < floor))
      assert.ok(after.every((id) => id > floor))
      assert.ok(isOrdered([...before, ...after]))
    }
  })

  it('parts at the moment itself where the clock has gone on, or was set back further than is made up for', () => {
    const now = START()
    newId('delivery', now)
    assert.equal(nextIdBoundary(now + 1), now + 1)
    assert.equal(nextIdBoundary(now - HOUR), now - HOUR)
  })

  it('of a moment before all others is the lowest', () => {
    assert.equal(idFloor('delivery', -DAY), 'dlv_00000000-0000-7000-8000-000000000000')
    assert.equal(idFloor('delivery', 1), 'dlv_00000000-0001-7000-8000-000000000000')
  })
})

describe('reading an identifier', () => {
  const id = newId('webhook', 1_795_000_000_000)

  it('takes it with its prefix or without, in capitals or not', () => {
    assert.equal(readId('webhook', id), id)
    assert.equal(readId('webhook', id.slice(4)), id)
    assert.equal(readId('webhook', id.slice(4).toUpperCase()), id)
    assert.equal(readId('webhook', `whk_${id.slice(4).toUpperCase()}`), id)
    assert.equal(parseId('webhook', id.slice(4)), id)
  })

  it('takes nothing else', () => {
    const bare = id.slice(4)
    for (const text of [
      '',
      'whk_',
      bare.slice(1),
      `${bare}0`,
      ` ${bare}`,
      `evt_${bare}`,
      `whk_whk_${bare}`,
      `${bare.slice(0, 14)}4${bare.slice(15)}`,
      `${bare.slice(0, 19)}7${bare.slice(20)}`,
      `${bare.slice(0, 19)}c${bare.slice(20)}`,
      `g${bare.slice(1)}`,
      bare.replaceAll('-', ''),
      `${bare}\n`,
    ]) {
      assert.equal(readId('webhook', text), undefined, text)
      assert.throws(
        () => parseId('webhook', text, 'webhookId'),
        (error: unknown) => {
          assert.ok(error instanceof ApiError)
          assert.equal(error.code, 'INVALID_UUID')
          assert.deepEqual(error.details, { field: 'webhookId', value: text })
          return true
        },
      )
    }
    assert.throws(
      () => parseId('webhook', '' as string),
      (error: unknown) => (error as ApiError<'INVALID_UUID'>).details.field === 'id',
    )
  })

  it('reads what was made, of every kind', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Kind[]>(...KINDS),
        fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        (kind, now) => {
          const made = newId(kind, now)
          assert.equal(readId(kind, made), made)
        },
      ),
    )
  })
})

describe('identifiers packed for a list of many', () => {
  it('are their sixteen bytes each, in order, without prefix or dashes', () => {
    const ids = [
      'whk_0198c1f2-0a0b-7c0d-8e0f-101112131415',
      'whk_00000000-0001-7000-8000-00000000000f',
    ] as Id<'webhook'>[]
    const packed = packIds(ids)
    assert.equal(packed.length, 32)
    assert.equal(
      Buffer.from(packed).toString('hex'),
      '0198c1f20a0b7c0d8e0f1011121314150000000000017000800000000000000f',
    )
    assert.deepEqual(unpackIds('webhook', packed), ids)
  })

  it('come back as they were, of every kind and however many', () => {
    const now = START()
    fc.assert(
      fc.property(fc.constantFrom<Kind[]>(...KINDS), fc.integer({ min: 0, max: 40 }), (kind, count) => {
        const ids = Array.from({ length: count }, () => newId(kind, now))
        const packed = packIds(ids)
        assert.equal(packed.length, 16 * count)
        assert.deepEqual(unpackIds(kind, packed), ids)
        // In the form of a database: a plain array of bytes.
        assert.deepEqual(unpackIds(kind, new Uint8Array(packed)), ids)
      }),
    )
  })

  it('of an empty list are no bytes, and no list', () => {
    assert.equal(packIds([]).length, 0)
    assert.deepEqual(unpackIds('event', new Uint8Array()), [])
  })
})
