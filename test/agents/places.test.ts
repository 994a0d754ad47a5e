import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { beforeEach, it } from 'node:test'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { begin, event } from '../support/chat-server.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()

onOneEngineByDay('the places for runs of a process', (engine) => {
  const server = usePostern(engine, { env: tools.env })
  beforeEach(() => tools.reset())

  /** Calls of the model under way, by their input. They end only when the test ends them. */
  function holdAll(): Map<string, ServerResponse[]> {
    const held = new Map<string, ServerResponse[]>()
    tools.chat.answer = ({ messages }, response) => {
      const input = messages.at(-1)?.content ?? ''
      begin(response)
      held.set(input, [...(held.get(input) ?? []), response])
    }
    return held
  }
  const end = (response: ServerResponse) =>
    response.end(
      `${event({ choices: [{ delta: { content: 'Done.' }, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
    )

  async function stand() {
    const postern = await server()
    const calls = agentCalls(postern, await administrator(postern))
    const agentId = await calls.agent({ model: 'stub' })
    return { calls, start: (input: string) => calls.run(agentId, input) }
  }

  it('are half one organization’s while it is alone, from its first run on, and others find some free', async () => {
    const held = holdAll()
    const [one, other] = [await stand(), await stand()]
    const isHeld = (input: string, count: number) =>
      until(
        () => held.get(input)?.length ?? 0,
        (so) => so >= count,
        { what: `${count} of ${input} to be under way` },
      )
    const first = await Promise.all(Array.from({ length: 34 }, () => one.start('one')))
    await isHeld('one', 32)
    const second = await Promise.all(Array.from({ length: 18 }, () => other.start('other')))
    await isHeld('other', 16)
    // Neither may begin more, so that an organization that comes next finds a free place.
    const third = await stand()
    const { id } = await third.start('third')
    await isHeld('third', 1)
    assert.deepEqual([held.get('one')?.length, held.get('other')?.length], [32, 16])
    // What ends makes room for those that wait.
    tools.chat.answer = (_asked, response) => {
      begin(response)
      end(response)
    }
    for (const responses of held.values()) for (const response of responses) end(response)
    const all = [
      ...first.map((run) => one.calls.ended(run.id)),
      ...second.map((run) => other.calls.ended(run.id)),
      third.calls.ended(id),
    ]
    for (const run of await Promise.all(all)) assert.equal(run.status, 'succeeded')
  })
})
