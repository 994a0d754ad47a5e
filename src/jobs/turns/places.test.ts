import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { createPlaces, MOST_IN_FLIGHT, MOST_TESTS, type Places, type TestPlace } from './places.ts'
import { createProven } from './proven.ts'

const NOW = 1_795_000_000_000
const DEADLINE = 30 * SECOND
const placesOf = (most?: number) => createPlaces({ longest: DEADLINE, ...(most !== undefined && { most }) })
const newOrganization = () => newId('organization', NOW)

function takeAll(places: Places, organizationId: Id<'organization'>): number {
  let taken = 0
  for (; places.room(organizationId) > 0; taken += 1) places.take(organizationId)
  return taken
}

/** A test that found a place. */
function begun(place: TestPlace): { end(): void } {
  assert.ok('end' in place)
  return place
}

function refused(place: TestPlace): number {
  assert.ok('retryAfterSeconds' in place)
  return place.retryAfterSeconds
}

describe('the places for attempts', () => {
  it('are shared out, and some of each share kept for tests', () => {
    const places = placesOf()
    const [one, other] = [newOrganization(), newOrganization()]
    assert.equal(places.room(one), MOST_IN_FLIGHT / 2 - MOST_TESTS)
    assert.equal(takeAll(places, one), MOST_IN_FLIGHT / 2 - MOST_TESTS)
    assert.equal(places.taken, MOST_IN_FLIGHT / 2 - MOST_TESTS)
    assert.equal(takeAll(places, other), 255 - MOST_TESTS)
    places.give(other)
    assert.equal(places.room(other), 1)
    assert.equal(places.taken, 490 + 244)
  })

  it('of a small share keep a tenth, and of a very small one none', () => {
    const small = placesOf(100)
    assert.equal(small.room(newOrganization()), 50 - 5)
    const few = placesOf(18)
    assert.equal(few.room(newOrganization()), 9)
  })

  it('are half for webhooks that have not answered well of late, one at least', () => {
    const places = placesOf()
    const [one, other] = [newOrganization(), newOrganization()]
    assert.equal(places.trials(one), MOST_IN_FLIGHT / 4)
    takeAll(places, one)
    assert.equal(places.trials(one), MOST_IN_FLIGHT / 4)
    assert.equal(places.trials(other), Math.ceil(255 / 2))
    assert.equal(placesOf(1).trials(one), 1)
  })

  it('are found by tests though deliveries have taken all of theirs', () => {
    const places = placesOf()
    const [one, other] = [newOrganization(), newOrganization()]
    takeAll(places, one)
    const tests = Array.from({ length: MOST_TESTS }, () => begun(places.beginTest(one, NOW)))
    assert.equal(places.taken, MOST_IN_FLIGHT / 2)
    assert.equal(places.room(one), 0)
    refused(places.beginTest(one, NOW))
    begun(places.beginTest(other, NOW)).end()
    for (const test of tests) test.end()
    assert.equal(places.taken, MOST_IN_FLIGHT / 2 - MOST_TESTS)
    assert.equal(places.room(one), 0)
    begun(places.beginTest(one, NOW))
  })

  it('are not kept twice: tests under way use what is kept', () => {
    const places = placesOf()
    const one = newOrganization()
    for (let count = 0; count < 4; count += 1) begun(places.beginTest(one, NOW))
    assert.equal(places.room(one), MOST_IN_FLIGHT / 2 - MOST_TESTS)
  })

  it('tell a test that finds none when the oldest one has ended', () => {
    const places = placesOf()
    const one = newOrganization()
    const first = begun(places.beginTest(one, NOW))
    for (let count = 1; count < MOST_TESTS; count += 1) begun(places.beginTest(one, NOW + 5 * SECOND))
    const seconds = (now: number) => refused(places.beginTest(one, now))
    assert.equal(seconds(NOW + 10 * SECOND), (DEADLINE - 10 * SECOND) / SECOND)
    assert.equal(seconds(NOW + 10 * SECOND + 1), (DEADLINE - 10 * SECOND) / SECOND)
    assert.equal(seconds(NOW + DEADLINE + SECOND), 1)
    first.end()
    // Told twice, it ends once.
    first.end()
    assert.equal(places.taken, MOST_TESTS - 1)
    begun(places.beginTest(one, NOW + 20 * SECOND))
    assert.equal(seconds(NOW + 20 * SECOND), (DEADLINE - 15 * SECOND) / SECOND)
  })

  it('are refused to a test whose organization has used up a share too small to keep any', () => {
    const places = placesOf(2)
    const one = newOrganization()
    assert.equal(takeAll(places, one), 1)
    assert.equal(refused(places.beginTest(one, NOW)), DEADLINE / SECOND)
  })
})

describe('the webhooks that answered well last', () => {
  const [a, b, c] = [0, 1, 2].map(() => newId('webhook', NOW)) as [
    Id<'webhook'>,
    Id<'webhook'>,
    Id<'webhook'>,
  ]

  it('are told apart from all others, and from those that failed since', () => {
    const proven = createProven()
    assert.equal(proven.has(a), false)
    assert.equal(proven.note(a, true), true)
    assert.equal(proven.note(a, true), false)
    assert.equal(proven.has(a), true)
    assert.equal(proven.note(b, false), false)
    assert.equal(proven.has(b), false)
    assert.equal(proven.note(a, false), false)
    assert.equal(proven.has(a), false)
    assert.equal(proven.note(a, true), true)
  })

  it('are always taken in: the one that was not heard of for longest is forgotten for it', () => {
    const proven = createProven(2)
    for (const webhook of [a, b, a]) proven.note(webhook, true)
    assert.equal(proven.note(c, true), true)
    assert.deepEqual([a, b, c].map(proven.has), [true, false, true])
  })
})
