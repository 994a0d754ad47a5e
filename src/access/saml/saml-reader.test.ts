import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { createSamlReader } from './saml-reader.ts'

it('reads a message of one organization, and an answer to a sign-in, soon, however many forged sign-outs wait', async () => {
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
  const signIn = async () => {
    const own = { keys: [], audience: '', recipient: '', requestId: '' }
    const answer = await reader.readResponse(flooded, received.encoded, { ...expected, ...own })
    assert.deepEqual(answer, { refused: 'not_a_response' })
    order.push('sign-in')
  }
  try {
    await Promise.all([...Array.from({ length: 20 }, () => read(flooded)), signIn(), read(calm)])
    // One of the others is being read when these two arrive, and they take the next turns.
    for (const one of [calm, 'sign-in']) assert.ok(order.indexOf(one) <= 3, order.join(' '))
  } finally {
    await reader.close()
  }
})
