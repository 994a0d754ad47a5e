import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { ask, begin, event, say } from '../support/chat-server.ts'
import { type Seen, watchEvents } from '../support/event-reader.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { until, within } from '../support/waits.ts'

const tools = await useAgentTools()

onOneEngineByDay('a reader of the events of a run', (engine) => {
  const server = usePostern(engine, { env: tools.env })
  const stand = async () => {
    const postern = await server()
    const { token, ...admin } = await administrator(postern)
    const calls = agentCalls(postern, { token, ...admin })
    const headers = { authorization: `Bearer ${token}` }
    /** Asks for the events, and takes nothing of the answer. */
    async function askOnly(runId: string) {
      const socket = connect(Number(new URL(postern.url).port), '127.0.0.1')
      after(() => socket.destroy())
      await within('a connection', once(socket, 'connect'))
      socket.pause()
      socket.write(
        `GET /v1/runs/${runId}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
      )
      return socket
    }
    const pathOf = (runId: string) => `${postern.url}/v1/runs/${runId}/events`
    return { postern, calls, headers, askOnly, pathOf }
  }

  it('gets all of them, however long they are together and whenever it comes', async () => {
    const { calls, headers, pathOf } = await stand()
    tools.reset()
    const long = { content: [{ type: 'text', text: 'word '.repeat(30_000) }] }
    tools.mcp.tools = tools.mcp.tools.map((tool) => ({ ...tool, call: () => long }))
    tools.chat.answer = ({ messages }, response) =>
      messages.some(({ role }) => role === 'tool')
        ? say(response, 'Done.')
        : ask(
            response,
            Array.from({ length: 12 }, (): [string, string] => ['crm__act', '{}']),
          )
    const agentId = await tools.agent(calls, {}, { maxSteps: 50 })
    const { id } = await calls.run(agentId, 'Act.')
    const during = await watchEvents(pathOf(id), { headers })
    const later = await watchEvents(pathOf(id), { headers })
    const placed = during.filter((one) => one.id !== undefined)
    assert.deepEqual(later, placed)
    assert.deepEqual(
      placed.map((one) => Number(one.id)),
      Array.from({ length: 31 }, (_, index) => index + 1),
    )
    assert.equal(placed.at(-1)?.event, 'run.succeeded')
    const texts = placed.flatMap(({ data }) => (data.step as { text: string } | undefined)?.text ?? [])
    // Texts are cut here; all of them is in the steps.
    assert.equal(Math.max(...texts.map((text) => text.length)), 65_536)
    const [, step] = await calls.steps(id)
    assert.equal(step?.text.length, 150_000)
  })

  it('that takes nothing is cut off, and nobody else is: it goes on where it was', async () => {
    const { calls, headers, askOnly, pathOf } = await stand()
    const goOn = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const word = 'x'.repeat(16 * 1024)
    let heard = 0
    // The model writes as fast as one reader reads, and more than the buffers of the idle one hold.
    tools.chat.answer = async (_asked, response) => {
      begin(response)
      await goOn.promise
      for (let count = 1; count <= 440; count += 1) {
        response.write(event({ choices: [{ delta: { content: word } }] }))
        await until(
          () => heard,
          (so) => so >= count * word.length,
          { what: `the attentive reader to hear part ${count}` },
        )
      }
      await end.promise
      response.end(`${event({ choices: [{ delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`)
    }
    const agentId = await calls.agent({ model: 'stub' })
    const { id } = await calls.run(agentId, 'Say much.')
    await calls.becomes(id, 'running')
    const [socket, attentive] = [await askOnly(id), await askOnly(id)]
    let last = ''
    attentive.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1').split('x').length - 1
      last = `${last}${bytes.toString('latin1')}`.slice(-1_000)
    })
    attentive.resume()
    await until(
      () => last,
      (so) => so.includes('run.step.started'),
      { what: 'the first events' },
    )
    goOn.resolve()
    await until(
      () => heard,
      (so) => so >= 440 * word.length,
      { what: 'all parts' },
    )
    // A reader that connects now gets the last 64 KiB of the text, and where they begin.
    const isShown = (seen: Seen[]) => seen.some(({ event: name }) => name === 'run.output.snapshot')
    const come = await watchEvents(pathOf(id), { headers }, isShown)
    const shown = come.find(({ event: name }) => name === 'run.output.snapshot')?.data
    assert.deepEqual([shown?.from, String(shown?.text).length], [440 * word.length - 64 * 1024, 64 * 1024])
    end.resolve()
    await calls.ended(id)
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
    })
    const gone = once(socket, 'close')
    socket.resume()
    await within('the connection to end', gone, { now: () => text.slice(-200) })
    assert.ok(text.includes('run.output.delta') && !text.includes('run.succeeded'))
    const rest = await watchEvents(pathOf(id), { headers: { ...headers, 'last-event-id': '3' } })
    assert.deepEqual(
      rest.map(({ event: name }) => name),
      ['run.step.completed', 'run.succeeded'],
    )
  })

  it('hears every fifteen seconds that the stream is there, and is let go when it leaves', async () => {
    const { postern, calls, askOnly } = await stand()
    tools.chat.answer = (_asked, response) => begin(response)
    const agentId = await calls.agent({ model: 'stub' })
    const { id } = await calls.run(agentId, 'Say nothing.')
    await calls.becomes(id, 'running')
    const socket = await askOnly(id)
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
    })
    socket.resume()
    const beats = () => text.split(': here\n').length - 1
    await until(
      () => text,
      (so) => so.includes('run.step.started'),
      { what: 'the first events' },
    )
    for (const count of [1, 2]) {
      postern.clock.advance(15 * SECOND)
      await until(beats, (heard) => heard >= count, { what: `heartbeat ${count}` })
    }
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).status, 200)
    await until(
      () => text,
      (so) => so.includes('event: run.cancelled'),
      { what: 'the end' },
    )
  })
})
