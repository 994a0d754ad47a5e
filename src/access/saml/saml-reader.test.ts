import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { createSamlReader } from './saml-reader.ts'

it('reads a message of one organization soon, however many of another one wait', async () => {
  const now = systemClock.now()
  const reader = createSamlReader(systemClock)
  const [flooded, calm] = [newId('organization', now), newId('organization', now)]
  const expected = { ...{ issuer: 'https://idp.test', certificates: [], destination: '' }, now }
  const received = { name: 'SAMLRequest' as const, encoded: 'PGEvPg==', relayState: '' }
  const order: string[] = []
  const read = async (owner: typeof calm) => {
    const answer = await reader.readLogout(owner, received, expected)
    assert.deepEqual(answer, { refused: 'unsigned' })
    order.push(owner)
  }
  try {
    await Promise.all([...Array.from({ length: 20 }, () => read(flooded)), read(calm)])
    // One of the others is read when it comes, and one may be before it in the thread.
    assert.ok(order.indexOf(calm) <= 2, order.join(' '))
  } finally {
    await reader.close()
  }
})
