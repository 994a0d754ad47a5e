import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, MINUTE } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { HORIZON } from '../attempt/schedule.ts'
import { newDelivery } from './new-delivery.ts'

const NOW = 1_795_000_000_000

it("a delivery is due from its event's moment on, whenever it is written, and waits for no moment of a clock that was wrong", () => {
  const webhookId = newId('webhook', NOW)
  const written = (createdAt: number) => {
    const event = {
      id: newId('event', createdAt),
      organization_id: newId('organization', NOW),
      created_at: createdAt,
    }
    const delivery = newDelivery({ ...event, type: 'file.processed', hops: 0 }, webhookId, new Map(), NOW)
    return [delivery.due_at, delivery.horizon_at]
  }
  assert.deepEqual(written(NOW - MINUTE), [NOW - MINUTE, NOW - MINUTE + HORIZON])
  assert.deepEqual(written(NOW + 3 * DAY), [NOW, NOW + HORIZON])
})
