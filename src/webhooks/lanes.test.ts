import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Id, newId } from '../core/id.ts'
import type { Job } from './deliveries.ts'
import { createLanes, type Lanes, MOST_IN_FLIGHT, MOST_ON_TRIAL } from './lanes.ts'
import { HORIZON } from './retry.ts'

const NOW = 1_795_000_000_000

function jobOf(webhookId: Id<'webhook'>): Job {
  return {
    id: newId('delivery', NOW),
    webhookId,
    organizationId: newId('organization', NOW),
    eventId: newId('event', NOW),
    attempts: 0,
    dueAt: NOW,
    horizon: NOW + HORIZON,
    maxInFlight: 16,
    body: new Uint8Array(1),
    hops: 0,
  }
}

/** Everything that may go goes. */
function drain(lanes: Lanes): Job[] {
  const gone: Job[] = []
  for (let job = lanes.next(NOW); job !== undefined; job = lanes.next(NOW)) gone.push(job)
  return gone
}

/** Lanes of so many webhooks that swallow whatever they are sent. */
function blackHoles(lanes: Lanes, count: number): Job[] {
  for (let hole = 0; hole < count; hole += 1) {
    const webhookId = newId('webhook', NOW)
    for (let index = 0; index < 10; index += 1) lanes.add(jobOf(webhookId), NOW)
  }
  return drain(lanes)
}

describe('the lanes', () => {
  it('leave half of all attempts at once to destinations that are well, however many black holes there are', () => {
    const lanes = createLanes(() => {})
    const healthy = Array.from({ length: 60 }, () => newId('webhook', NOW))
    for (const webhookId of healthy) lanes.add(jobOf(webhookId), NOW)
    for (const job of drain(lanes)) lanes.done(job, { isWell: true, goesOn: false }, NOW)

    assert.equal(blackHoles(lanes, 1_000).length, MOST_ON_TRIAL)
    for (const webhookId of healthy) lanes.add(jobOf(webhookId), NOW)
    assert.deepEqual(new Set(drain(lanes).map(({ webhookId }) => webhookId)), new Set(healthy))
    assert.ok(lanes.inFlight <= MOST_IN_FLIGHT)
  })

  it('let one out of the trial as soon as it was well, though it stands in a row behind others', () => {
    const lanes = createLanes(() => {})
    const newcomer = newId('webhook', NOW)
    for (let index = 0; index < 10; index += 1) lanes.add(jobOf(newcomer), NOW)
    const [first] = drain(lanes) as [Job]
    blackHoles(lanes, 1_000)
    lanes.done(first, { isWell: true, goesOn: false }, NOW)
    const next = drain(lanes)
    assert.ok(next.some(({ webhookId }) => webhookId === newcomer))
  })

  it('try others when what was on trial has ended', () => {
    const lanes = createLanes(() => {})
    const [first] = blackHoles(lanes, 1_000) as [Job]
    lanes.done(first, { isWell: false, goesOn: true }, NOW)
    assert.equal(drain(lanes).length, 1)
  })

  it('take turns between webhooks', () => {
    const lanes = createLanes(() => {})
    const [one, other] = [newId('webhook', NOW), newId('webhook', NOW)]
    for (const webhookId of [one, one, one, other, other, other]) lanes.add(jobOf(webhookId), NOW)
    assert.deepEqual(
      drain(lanes).map(({ webhookId }) => webhookId),
      [one, other, one, other, one, other],
    )
  })
})
