import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type Id, newId } from '../../core/id.ts'
import { createTurns, type Turns } from './turns.ts'

interface Lane {
  organizationId: Id<'organization'>
  isProven: boolean
}

const NOW = 1_795_000_000_000
const newOrganization = () => newId('organization', NOW)
const provenOf = (organizationId: Id<'organization'>): Lane => ({ organizationId, isProven: true })
const trialOf = (organizationId: Id<'organization'>): Lane => ({ organizationId, isProven: false })

function takeAll(turns: Turns<Lane>): Lane[] {
  const taken: Lane[] = []
  for (let lane = turns.next(); lane !== undefined; lane = turns.next()) taken.push(lane)
  return taken
}

describe('the turns', () => {
  const one = newOrganization()
  /** Organizations whose share was read. */
  let asked: Id<'organization'>[]
  let hasRoom: boolean
  let mayTry: boolean
  let areUsedUp: boolean
  let turns: Turns<Lane>
  beforeEach(() => {
    asked = []
    hasRoom = true
    mayTry = true
    areUsedUp = false
    turns = createTurns<Lane>({
      get areUsedUp() {
        return areUsedUp
      },
      mayBegin(organizationId, isOnTrial) {
        asked.push(organizationId)
        return hasRoom && (mayTry || !isOnTrial)
      },
    })
  })
  const add = (...lanes: Lane[]) => {
    for (const lane of lanes) turns.add(lane)
    return lanes
  }

  it('alternate between lanes on trial and proven ones, and begin with those on trial', () => {
    const [a, b, c] = add(provenOf(one), provenOf(one), provenOf(one))
    const [x, y] = add(trialOf(one), trialOf(one))
    assert.deepEqual(takeAll(turns), [x, a, y, b, c])
  })

  it('go to all lanes of an organization if only lanes on trial or only proven ones wait', () => {
    const trials = add(trialOf(one), trialOf(one))
    assert.deepEqual(takeAll(turns), trials)
    const proven = add(provenOf(one), provenOf(one))
    assert.deepEqual(takeAll(turns), proven)
  })

  it('are one for each lane, even if it is added several times', () => {
    const [a, x] = [provenOf(one), trialOf(one)]
    add(a, x, a, x, x)
    assert.deepEqual(takeAll(turns), [x, a])
  })

  it('of lanes on trial wait for their part of the share, and turns of proven lanes do not', () => {
    mayTry = false
    const [x] = add(trialOf(one))
    assert.equal(turns.next(), undefined)
    const [a] = add(provenOf(one))
    assert.deepEqual(takeAll(turns), [a])
    mayTry = true
    assert.equal(turns.next(), x)
  })

  it('come at once for a lane that becomes proven while others wait on trial', () => {
    mayTry = false
    const [x, y] = add(trialOf(one), trialOf(one)) as [Lane, Lane]
    assert.deepEqual(takeAll(turns), [])
    y.isProven = true
    turns.add(y)
    assert.deepEqual(takeAll(turns), [y])
    mayTry = true
    assert.equal(turns.next(), x)
  })

  it('skip organizations without room, and return to them when there is some', () => {
    const lanes = add(trialOf(one), trialOf(newOrganization()), provenOf(newOrganization()))
    hasRoom = false
    assert.equal(turns.next(), undefined)
    assert.deepEqual(new Set(asked), new Set(lanes.map(({ organizationId }) => organizationId)))
    hasRoom = true
    assert.deepEqual(takeAll(turns), lanes)
  })

  it('find the only organization with room, at any place of the round', () => {
    const organizations = Array.from({ length: 5 }, newOrganization)
    const allowed = organizations[0]
    const others = createTurns<Lane>({
      areUsedUp: false,
      mayBegin: (organizationId, isOnTrial) => organizationId === allowed && !isOnTrial,
    })
    for (const organizationId of organizations) {
      others.add(trialOf(organizationId))
      others.add(provenOf(organizationId))
      others.add(provenOf(organizationId))
    }
    assert.deepEqual(
      takeAll(others).map(({ organizationId }) => organizationId),
      [allowed, allowed],
    )
  })

  it('read no share of an organization without lanes, and none at all while all attempts are used up', () => {
    const lanes = add(...[1, 2, 3].map(() => provenOf(newOrganization())))
    areUsedUp = true
    assert.equal(turns.next(), undefined)
    assert.deepEqual(asked, [])
    areUsedUp = false
    assert.deepEqual(takeAll(turns), lanes)
    asked = []
    assert.equal(turns.next(), undefined)
    assert.deepEqual(asked, [])
  })

  it('of an organization that had no lane come after the waiting organizations', () => {
    const other = newOrganization()
    const [a, x, y] = add(provenOf(one), provenOf(other), provenOf(other))
    assert.deepEqual([turns.next(), turns.next()], [a, x])
    const [b] = add(provenOf(one))
    assert.deepEqual(takeAll(turns), [y, b])
  })

  it('go around 250 organizations, more than are kept while idle', () => {
    const organizations = Array.from({ length: 250 }, newOrganization)
    for (let round = 0; round < 3; round += 1) {
      const lanes = add(...organizations.map(provenOf))
      assert.deepEqual(takeAll(turns), lanes)
    }
  })
})
