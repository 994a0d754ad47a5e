import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, describe, it } from 'node:test'
import { newId } from '#src/core/id.ts'
import { agentCalls } from '../support/agents.ts'
import { begin, event, startChatServer, USAGE } from '../support/chat-server.ts'
import { type Seen, watchEvents } from '../support/event-reader.ts'
import { administrator } from '../support/people.ts'
import type { Postern } from '../support/postern.ts'
import { useProcesses } from '../support/processes.ts'
import { until } from '../support/waits.ts'

const stub = await startChatServer()
after(() => stub.stop())

/** More text than a notification carries, with characters that grow in JSON and in UTF-8. */
const PARTS = Array.from({ length: 38 }, (_, index) => `${index}: "č" \n🐘 `)

/** Says the first parts at once, and each of the others when it is asked for. */
function speaker() {
  const speaking = Promise.withResolvers<ServerResponse>()
  stub.answer = (_asked, response) => {
    begin(response)
    speaking.resolve(response)
  }
  return {
    async say(text: string) {
      ;(await speaking.promise).write(event({ choices: [{ delta: { content: text } }] }))
    },
    async end() {
      const response = await speaking.promise
      response.write(event({ choices: [{ delta: {}, finish_reason: 'stop' }] }))
      response.end(`${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
    },
  }
}

/** The text that a reader shows of the step: a delta is appended, a snapshot replaces everything. */
function shown(seen: readonly Seen[]): string {
  let text = ''
  for (const { event: name, data } of seen) {
    if (name === 'run.output.delta') text += String(data.text)
    if (name === 'run.output.snapshot') text = String(data.text)
  }
  return text
}

/** Reads the events of a run; `seen` is what has come so far. */
function follow(postern: Postern, token: string, runId: string, headers: Record<string, string> = {}) {
  const seen: Seen[] = []
  const ended = watchEvents(
    `${postern.url}/v1/runs/${runId}/events`,
    { headers: { authorization: `Bearer ${token}`, ...headers } },
    (all) => {
      seen.splice(0, seen.length, ...all)
      return false
    },
  )
  const shows = (text: string, what: string) =>
    until(
      () => shown(seen),
      (so) => so === text,
      { what },
    )
  return { seen, ended, shows }
}

/** Has a model say all parts, each only when the reader shows those before it: none waits for the end. @returns all of them */
async function sayAll(
  model: Pick<ReturnType<typeof speaker>, 'say'>,
  reader: Pick<ReturnType<typeof follow>, 'shows'>,
  what: string,
): Promise<string> {
  let said = ''
  for (const part of PARTS) {
    await model.say(part)
    said += part
    await reader.shows(said, what)
  }
  return said
}

const names = (seen: Seen[]) => seen.filter(({ id }) => id !== undefined).map(({ event: name }) => name)
const WHOLE = ['run.queued', 'run.started', 'run.step.started', 'run.step.completed', 'run.succeeded']

describe('a reader at a process that does not step the run', () => {
  const start = useProcesses({ env: { ...stub.env, ROLE: 'api' } })
  const stand = async () => {
    const { one, processes } = await start()
    const admin = await administrator(one)
    const calls = agentCalls(one, admin)
    return { one, processes, token: admin.token, calls, agentId: await calls.agent({ model: 'stub' }) }
  }
  let worker: Promise<Postern> | undefined
  const withWorker = async () => {
    const all = await stand()
    worker ??= all.processes.start({ env: { ...stub.env, ROLE: 'worker' } })
    await worker
    return all
  }

  it('is shown what the model says as it says it, each part once and in order, before the end of the step', async () => {
    const { one, token, calls, agentId } = await withWorker()
    const model = speaker()
    const { id } = await calls.run(agentId, 'What does it cost?')
    const reader = follow(one, token, id)
    const said = await sayAll(model, reader, 'a part to be shown while the model goes on')
    await model.end()
    const seen = await reader.ended
    assert.deepEqual(names(seen), WHOLE)
    const completed = seen.findIndex(({ event: name }) => name === 'run.step.completed')
    assert.equal(shown(seen.slice(0, completed)), said)
    assert.equal(shown(seen), said)
    assert.equal(seen.at(-1)?.data.output, said)
  })

  it('that comes late, or comes back, is shown what was said before, and what is said then', async () => {
    const { one, token, calls, agentId } = await withWorker()
    const model = speaker()
    const { id } = await calls.run(agentId, 'What does it cost?')
    const first = follow(one, token, id)
    const long = 'much '.repeat(6_000)
    await model.say(long)
    await first.shows(long, 'a long part')
    const back = follow(one, token, id, { 'last-event-id': '3' })
    await back.shows(long, 'what was said before')
    assert.equal(back.seen[0]?.event, 'run.output.snapshot')
    await model.say('more')
    for (const reader of [first, back]) await reader.shows(`${long}more`, 'what is said then')
    await model.end()
    for (const reader of [first, back]) assert.equal((await reader.ended).at(-1)?.data.output, `${long}more`)
  })

  it('reads on the channel neither what is said nor what could be said in its name', async () => {
    const { one, processes, token, calls, agentId } = await withWorker()
    const model = speaker()
    const arrived = await processes.receives()
    const { id } = await calls.run(agentId, 'What does it cost?')
    const reader = follow(one, token, id)
    await model.say('Forty crowns. ')
    await reader.shows('Forty crowns. ', 'the first part')
    const said = arrived.flatMap((text) => (JSON.parse(text).topics.said ?? []) as string[])
    assert.ok(said.some((name) => name.startsWith(id)))
    assert.doesNotMatch(said.join(' '), /crowns/)
    // Forged, changed, of another run, and sent again.
    const [genuine = ''] = said.filter((name) => name.startsWith(id))
    const forged = [
      ...[`${id} Fifty.`, `${id} v1.AAAA`, `${id} ${JSON.stringify([1, 9, 'x', 0, 0, 'Fifty.'])}`],
      ...[
        `${genuine}A`,
        genuine.slice(0, -4),
        `${newId('run', 0)} ${genuine.split(' ')[1]}`,
        genuine,
        genuine,
      ],
    ]
    for (const name of forged)
      await processes.asks('select pg_notify($1, $2)', [
        'postern',
        JSON.stringify({
          from: 'x',
          topics: { said: [name], watchedRuns: [name, id, `${id} 1.1.x 99999999999`] },
        }),
      ])
    await model.say('No more.')
    await reader.shows('Forty crowns. No more.', 'the second part')
    await model.end()
    assert.equal(shown(await reader.ended), 'Forty crowns. No more.')
  })

  it('is shown it though another organization has many runs watched that say much', async () => {
    const { one, token, calls, agentId } = await withWorker()
    const loud = await administrator(one)
    const loudCalls = agentCalls(one, loud)
    const loudAgent = await loudCalls.agent({ model: 'stub' })
    const ends: (() => void)[] = []
    const shout = 'loud '.repeat(10_000)
    stub.answer = (_asked, response) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: shout } }] }))
      ends.push(() =>
        response.end(`${event({ choices: [{ delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`),
      )
    }
    const readers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { id } = await loudCalls.run(loudAgent, 'Shout.')
        return follow(one, loud.token, id)
      }),
    )
    await until(
      () => ends.length,
      (so) => so === readers.length,
      { what: 'all of them to speak' },
    )
    const model = speaker()
    const { id } = await calls.run(agentId, 'What does it cost?')
    const reader = follow(one, token, id)
    await sayAll(model, reader, 'a part beside the loud ones')
    const heard = readers.reduce((sum, { seen }) => sum + shown(seen).length, 0)
    assert.ok(heard < readers.length * shout.length, 'the others were still being told of')
    await model.end()
    await reader.ended
    for (const end of ends) end()
    for (const one of await Promise.all(readers.map(({ ended }) => ended)))
      assert.equal(one.at(-1)?.data.output, shout)
  })
})

describe('a reader whose process cannot be notified', () => {
  const start = useProcesses({ env: { ...stub.env, ROLE: 'api' } })

  it('is shown the whole answer in the end, and what is said as soon as it can be again', async () => {
    const { one, processes } = await start()
    await processes.start({ env: { ...stub.env, ROLE: 'worker' } })
    const admin = await administrator(one)
    const calls = agentCalls(one, admin)
    const model = speaker()
    const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What does it cost?')
    const reader = follow(one, admin.token, id)
    await model.say('Forty ')
    await reader.shows('Forty ', 'the first part')
    const [{ name } = {}] = await processes.asks('select current_database() as name')
    const cut = async () => {
      await processes.asks('update pg_database set datallowconn = false where datname = $1', [name])
      await processes.asks(
        `select pid, pg_terminate_backend(pid, 10000) from pg_stat_activity
         where datname = $1 and application_name = 'postern listener'`,
        [name],
      )
    }
    await cut()
    await model.say('crowns, ')
    await processes.asks('update pg_database set datallowconn = true where datname = $1', [name])
    await model.say('it says. ')
    await reader.shows('Forty crowns, it says. ', 'what was missed, and what came after it')
    await cut()
    await model.say('Done.')
    await model.end()
    const seen = await reader.ended
    await processes.asks('update pg_database set datallowconn = true where datname = $1', [name])
    assert.deepEqual(names(seen), WHOLE)
    assert.equal(seen.at(-1)?.data.output, 'Forty crowns, it says. Done.')
    assert.ok('Forty crowns, it says. Done.'.startsWith(shown(seen)))
  })
})
