import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { eventsOf } from '#src/agents/runs/run-events.ts'
import { newStep } from '#src/agents/steps/step-store.ts'
import type { Run, Step } from '#src/agents/transcript/rows.ts'
import { newId } from '#src/core/id.ts'
import { type AgentCalls, agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { begin, event, say, startChatServer } from '../support/chat-server.ts'
import { type Seen, watchEvents } from '../support/event-reader.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const NOW = 1_795_000_000_000
const stub = await startChatServer()
after(() => stub.stop())

onBothEngines('the events of a run', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: stub.env })
  const stand = async (): Promise<{ postern: Postern; calls: AgentCalls; token: string }> => {
    const postern = await server()
    const admin = await administrator(postern)
    return { postern, calls: agentCalls(postern, admin), token: admin.token }
  }

  it('come as they happen, each with its place, and end with the run', async () => {
    const { postern, calls, token } = await stand()
    stub.answer = (_asked, response) => say(response, 'It costs forty crowns.')
    const agentId = await calls.agent({ model: 'stub' })
    const seen = await watchEvents(`${postern.url}/v1/agents/${agentId}/runs`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ input: 'What does it cost?' }),
    })
    const placed = seen.filter(({ id }) => id !== undefined)
    assert.deepEqual(
      placed.map(({ id, event }) => [id, event]),
      [
        ['1', 'run.queued'],
        ['2', 'run.started'],
        ['3', 'run.step.started'],
        ['4', 'run.step.completed'],
        ['5', 'run.succeeded'],
      ],
    )
    const said = seen.filter(({ event }) => event === 'run.output.delta').map(({ data }) => data.text)
    assert.equal(said.join(''), 'It costs forty crowns.')
    const { runId, output } = placed.at(-1)?.data ?? {}
    assert.equal(output, 'It costs forty crowns.')
    const path = `${postern.url}/v1/runs/${runId}/events`
    const headers = { authorization: `Bearer ${token}` }
    const later = await watchEvents(path, { headers: { ...headers, 'last-event-id': '3' } })
    assert.deepEqual(
      later.map(({ id }) => id),
      ['4', '5'],
    )
    for (const wrong of ['6', '99999', '-1', 'text', '1.5', runId])
      assertError(
        await postern.client().get(`/v1/runs/${runId}/events`, {
          headers: { ...headers, 'last-event-id': String(wrong) },
        }),
        'VALIDATION_FAILED',
        { field: 'Last-Event-ID' },
      )
    const stranger = agentCalls(postern, await administrator(postern))
    assertError(await stranger.get(`/v1/runs/${runId}/events`), 'ENTITY_NOT_FOUND')
  })

  test('show to who comes back what was said meanwhile, and the run goes on without a reader', async () => {
    const { postern, calls, token } = await stand()
    const rest = Promise.withResolvers<() => void>()
    stub.answer = (_asked, response) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: 'Well, ' } }] }))
      rest.resolve(() => {
        response.write(event({ choices: [{ delta: { content: 'forty.' }, finish_reason: 'stop' }] }))
        response.end('data: [DONE]\n\n')
      })
    }
    const agentId = await calls.agent({ model: 'stub' })
    const { id } = await calls.run(agentId, 'What does it cost?')
    const path = `${postern.url}/v1/runs/${id}/events`
    const headers = { authorization: `Bearer ${token}` }
    const hasSaid = (seen: Seen[]) => seen.some(({ event }) => /delta|snapshot/.test(event))
    await watchEvents(path, { headers }, hasSaid)
    const back = await watchEvents(path, { headers: { ...headers, 'last-event-id': '3' } }, hasSaid)
    assert.deepEqual(back.at(-1)?.event, 'run.output.snapshot')
    assert.deepEqual(back.at(-1)?.data.text, 'Well, ')
    ;(await rest.promise)()
    assert.equal((await calls.ended(id)).output, 'Well, forty.')
  })

  it('have the places of groups: all steps that begin together are told before the first of them ends', () => {
    const run: Run = {
      ...{
        id: newId('run', NOW),
        organization_id: newId('organization', NOW),
        agent_id: newId('agent', NOW),
      },
      ...{ agent_version: 1, conversation_id: null, turn: null, owner_id: 'acc', status: 'waiting' },
      ...{ input: 'Go.', file_ids: '[]', file_notes: null, metadata: '{}', output: null, error_code: null },
      ...{ error_reason: null, claim_id: null, job_id: null, deadline_at: NOW, left_ms: 1 },
      ...{ finish_reason: null, resumed_seq: 0, created_at: NOW, started_at: NOW, ended_at: null },
      updated_at: NOW,
    }
    const kinds = [
      ...['model', 'approval', 'approval', 'tool', 'tool'],
      ...['model', 'approval', 'approval'],
    ] as Step['kind'][]
    const firsts = [null, 2, 2, null, null, null, 7, 7]
    const steps = kinds.map((kind, index): Step => {
      const first_seq = firsts[index] ?? null
      const step = newStep(
        { organization_id: run.organization_id, run_id: run.id, seq: index + 1, first_seq, kind, name: kind },
        NOW,
      )
      return index < 6 ? { ...step, status: 'succeeded' } : step
    })
    const events = eventsOf(run, steps).map(({ id, event }) => `${id} ${event}`)
    const begun = (...places: number[]) => places.map((place) => `${place} run.step.started`)
    const asked = (...places: number[]) => places.map((place) => `${place} run.approval.required`)
    const ended = (...places: number[]) => places.map((place) => `${place} run.step.completed`)
    assert.deepEqual(events.slice(2), [
      ...[...begun(3), ...ended(4), ...asked(5, 6), ...ended(7, 8), ...begun(9), ...ended(10)],
      ...[...begun(11), ...ended(12), ...begun(13), ...ended(14), ...asked(15, 16)],
    ])
  })
})
