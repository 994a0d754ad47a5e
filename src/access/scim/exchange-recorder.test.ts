import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type Id, newId } from '../../core/id.ts'
import type { Exchange } from './exchange.ts'
import { createExchangeRecorder, type ExchangeRecorder } from './exchange-recorder.ts'

const NOW = 1_795_000_000_000
const newOrganization = () => newId('organization', NOW)

function exchangeOf(owner: Exchange['owner']): Exchange {
  const ended = { code: null, scim_type: null, detail: null, resource_id: null }
  return {
    ...{ owner, id: newId('scimExchange', NOW), method: 'GET', path: '/scim/v2/Users', status: 200 },
    ...{ ...ended, duration: 1, created_at: NOW },
  }
}

describe('the recorder of exchanges', () => {
  let batches: Exchange[][]
  let dropped: number
  let failure: Error | undefined
  let logged: string[]
  let recorder: ExchangeRecorder
  beforeEach(() => {
    batches = []
    dropped = 0
    failure = undefined
    logged = []
    recorder = createExchangeRecorder({
      store: {
        async append(exchanges) {
          if (failure !== undefined) throw failure
          batches.push(exchanges)
        },
      },
      onDropped(count) {
        dropped += count
      },
      log: { error: (_data, message) => void logged.push(message) },
    })
  })

  function record(times: number, owner: Exchange['owner']): void {
    for (let left = times; left > 0; left -= 1) recorder.record(exchangeOf(owner))
  }
  const ofOrganization = (id: Id<'organization'>) => (exchange: Exchange) =>
    'organizationId' in exchange.owner && exchange.owner.organizationId === id

  it('writes all exchanges of a moment together', async () => {
    record(3, { organizationId: newOrganization() })
    await recorder.stop()
    assert.deepEqual([batches.map(({ length }) => length), dropped], [[3], 0])
  })

  it('drops and counts what one organization has beyond its share, and writes those of another with the first', async () => {
    const [busy, quiet] = [newOrganization(), newOrganization()]
    record(10_000, { organizationId: busy })
    record(3, { organizationId: quiet })
    await recorder.stop()
    assert.equal(dropped, 9_500)
    assert.equal(batches.flat().length, 503)
    assert.equal(batches[0]?.filter(ofOrganization(quiet)).length, 3)
    // A dropped exchange does not keep its place.
    record(1, { organizationId: busy })
    await recorder.stop()
    assert.deepEqual([batches.flat().length, dropped], [504, 9_500])
  })

  it('has a place for every organization, however many there are with more than their share', async () => {
    for (let left = 100; left > 0; left -= 1) record(500, { organizationId: newOrganization() })
    const last = newOrganization()
    record(1, { organizationId: last })
    await recorder.stop()
    const written = batches.flat()
    assert.equal(written.filter(ofOrganization(last)).length, 1)
    assert.equal(written.length + dropped, 100 * 500 + 1)
    assert.ok(written.length < 4 * 5_000, `${written.length} waited`)
  })

  it('keeps few of keys whose organization is not known yet, and these displace no organization', async () => {
    record(60, { keyHash: 'ended' })
    for (let left = 2_000; left > 0; left -= 1) record(1, { keyHash: `made up ${left}` })
    record(60, { organizationId: newOrganization() })
    await recorder.stop()
    assert.deepEqual([batches.flat().length, dropped], [1_060, 10 + 1_050])
  })

  it('counts as dropped what the database does not take, and goes on', async () => {
    failure = new Error('the database is away')
    const owner = { organizationId: newOrganization() }
    record(2, owner)
    await recorder.stop()
    assert.deepEqual([dropped, logged], [2, ['requests of directories could not be recorded']])
    failure = undefined
    record(1, owner)
    await recorder.stop()
    assert.deepEqual([batches.flat().length, dropped], [1, 2])
  })
})
