import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type Id, newId } from '../../core/id.ts'
import { createLane, type Lane } from './lane.ts'
import { createTurns, type Turns } from './turns.ts'

const NOW = 1_795_000_000_000
const newOrganization = () => newId('organization', NOW)
const laneOf = (organizationId: Id<'organization'>): Lane =>
  createLane({ laneId: newId('webhook', NOW), organizationId })

/** Everybody whose turn comes. */
function takeAll(turns: Turns<Lane>): Lane[] {
  const taken: Lane[] = []
  for (let lane = turns.next(); lane !== undefined; lane = turns.next()) taken.push(lane)
  return taken
}

describe('the turns', () => {
  const one = newOrganization()
  /** Whose room was asked for. */
  let asked: Id<'organization'>[]
  let room: number
  let trials: number
  let areUsedUp: boolean
  let turns: Turns<Lane>
  beforeEach(() => {
    asked = []
    room = 10
    trials = 10
    areUsedUp = false
    const mostIdle = 0
    turns = createTurns(
      {
        room(organizationId) {
          asked.push(organizationId)
          return room
        },
        trials: () => trials,
        areUsedUp: () => areUsedUp,
      },
      mostIdle,
    )
  })

  it('alternate between webhooks on trial and proven ones, and begin with those on trial', () => {
    const [a, b, c] = [laneOf(one), laneOf(one), laneOf(one)]
    const [x, y] = [laneOf(one), laneOf(one)]
    for (const lane of [a, b, c]) turns.list(lane, true)
    for (const lane of [x, y]) turns.list(lane, false)
    assert.deepEqual(takeAll(turns), [x, a, y, b, c])
  })

  it('go to those on trial alone where no webhook is proven, and to the proven alone where there is no trial', () => {
    const [a, b, x, y] = [laneOf(one), laneOf(one), laneOf(one), laneOf(one)]
    for (const lane of [x, y]) turns.list(lane, false)
    assert.deepEqual(takeAll(turns), [x, y])
    for (const lane of [a, b]) turns.list(lane, true)
    assert.deepEqual(takeAll(turns), [a, b])
  })

  it('are one for each lane, however often and as whatever it is listed', () => {
    const [a, x] = [laneOf(one), laneOf(one)]
    for (const isProven of [true, false, true]) turns.list(a, isProven)
    for (const isProven of [false, true, false]) turns.list(x, isProven)
    assert.deepEqual(takeAll(turns), [x, a])
  })

  it('of those on trial come when fewer are under way than may be', () => {
    trials = 1
    const [a, x, y] = [laneOf(one), laneOf(one), laneOf(one)]
    for (const lane of [x, y]) turns.list(lane, false)
    assert.equal(turns.next(), x)
    turns.beginTrial(one)
    assert.equal(turns.next(), undefined)
    turns.list(a, true)
    assert.deepEqual(takeAll(turns), [a])
    turns.endTrial(one)
    assert.equal(turns.next(), y)
  })

  it('stay a lane’s when it is promoted, among the proven', () => {
    trials = 0
    const [x, y] = [laneOf(one), laneOf(one)]
    turns.promote(x)
    for (const lane of [x, y]) turns.list(lane, false)
    turns.promote(laneOf(one))
    assert.deepEqual(takeAll(turns), [])
    turns.promote(x)
    assert.deepEqual(takeAll(turns), [x])
    trials = 1
    assert.deepEqual(takeAll(turns), [y])
  })

  it('pass over whoever has no place, and come back when there is one', () => {
    const other = newOrganization()
    const [x, y] = [laneOf(one), laneOf(other)]
    for (const lane of [x, y]) turns.list(lane, false)
    room = 0
    assert.equal(turns.next(), undefined)
    assert.deepEqual(asked, [one, other])
    room = 1
    assert.deepEqual(takeAll(turns), [x, y])
  })

  it('ask nothing of organizations that have no lanes', () => {
    turns.list(laneOf(one), false)
    takeAll(turns)
    asked = []
    turns.beginTrial(one)
    assert.equal(turns.next(), undefined)
    turns.endTrial(one)
    assert.equal(turns.next(), undefined)
    assert.deepEqual(asked, [])
  })

  /** Whether an organization that comes now begins as one that was never there: with a webhook on trial. */
  function beginsAnew(): boolean {
    const [a, x] = [laneOf(one), laneOf(one)]
    turns.list(a, true)
    turns.list(x, false)
    const [first] = takeAll(turns)
    return first === x
  }

  it('ask nobody whether there is room while all places are taken, and go on in their order', () => {
    const lanes = Array.from({ length: 3 }, () => laneOf(newOrganization()))
    for (const lane of lanes) turns.list(lane, true)
    areUsedUp = true
    assert.equal(turns.next(), undefined)
    assert.deepEqual(asked, [])
    areUsedUp = false
    assert.deepEqual(takeAll(turns), lanes)
  })

  it('remember nobody who has no lanes and nothing on trial', () => {
    turns.list(laneOf(one), false)
    takeAll(turns)
    assert.equal(beginsAnew(), true)
  })

  it('remember an organization until its last trial has ended', () => {
    trials = 2
    for (let count = 0; count < 2; count += 1) turns.beginTrial(one)
    turns.endTrial(one)
    turns.list(laneOf(one), false)
    takeAll(turns)
    assert.equal(beginsAnew(), false)
    turns.endTrial(one)
    assert.equal(beginsAnew(), true)
  })

  it('remember an organization whose last trial ends while it has lanes', () => {
    const [x, y] = [laneOf(one), laneOf(one)]
    turns.list(x, false)
    takeAll(turns)
    turns.beginTrial(one)
    turns.list(y, false)
    turns.endTrial(one)
    turns.list(y, false)
    assert.deepEqual(takeAll(turns), [y])
  })
})
