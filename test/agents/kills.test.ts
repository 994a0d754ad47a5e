import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { Client } from '../support/browser.ts'
import { type Asked, ask, begin, say } from '../support/chat-server.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { ENGINES, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()
beforeEach(() => tools.reset())

/** A run fails after this many deaths without a step that ends between them. */
const MOST_DEATHS = 5

/** By day `restarts.test.ts` kills processes of runs, and `crashes.test.ts` ends them at each of their writes. */
const skip = !IS_NIGHTLY && 'at night'

for (const engine of ENGINES)
  describe(`a run whose process is killed again and again (${engine})`, { skip }, () => {
    let stand: Awaited<ReturnType<typeof makeStand>>
    before(async () => {
      stand = await makeStand()
    })
    after(async () => assert.equal(await stand.end(), 0))

    async function makeStand() {
      const first = await startPostern(engine, { env: tools.env })
      const token = await apiKey(first, await administrator(first))
      const agentId = await tools.agent(
        agentCalls(first, { token }),
        { repeatable: true, parallel: true },
        { maxSteps: 50 },
      )
      const { PORT: _, SMTP_URL: __, ...env } = first.env
      await first.stop()
      let server = await startProcess(env)
      return {
        agentId,
        calls: () => agentCalls({ client: () => new Client(server.url) }, { token }),
        async restart() {
          await server.kill()
          server = await startProcess(env)
        },
        end: () => server.end(),
      }
    }

    const inputOf = ({ messages }: Asked) => messages.find(({ role }) => role === 'user')?.content ?? ''
    const askedFor = (input: string) => tools.chat.asked.filter((one) => inputOf(one) === input).length

    it('ends well where a step of it has ended between any two, however often that is; where it is what kills it, it ends and takes none with it that was under way beside it', async () => {
      const { agentId, calls, restart } = stand
      let deaths = 0
      const answered = new Set<number>()
      tools.chat.answer = (asked, response) => {
        if (inputOf(asked) !== 'Find much.')
          // The other runs stay open until two processes have died, and then end.
          return inputOf(asked) === 'Kill.' || deaths < 2 ? begin(response) : say(response, 'Done.')
        const made = asked.messages.filter(({ role }) => role === 'tool').length
        // Each step is cut off once, and made by the next process.
        if (!answered.has(made)) {
          answered.add(made)
          return begin(response)
        }
        return made >= MOST_DEATHS ? say(response, 'Done.') : ask(response, [['crm__find', '{}']])
      }
      const others = await Promise.all(
        Array.from({ length: 5 }, async (_, index) => (await calls().run(agentId, `Other ${index}.`)).id),
      )
      const { id: advancing } = await calls().run(agentId, 'Find much.')
      const { id: killing } = await calls().run(agentId, 'Kill.')
      await until(
        () => tools.chat.asked.length,
        (count) => count === others.length + 2,
        { what: 'all of them to be under way' },
      )
      while (deaths <= MOST_DEATHS) {
        await until(
          () => answered.size,
          (size) => size > deaths,
          { what: `step ${deaths + 1} of the model to be cut off` },
        )
        if (deaths < MOST_DEATHS)
          await until(
            () => askedFor('Kill.'),
            (count) => count > deaths,
            { what: `the run that kills to begin after death ${deaths}` },
          )
        deaths += 1
        await restart()
      }
      const run = await calls().ended(advancing)
      assert.deepEqual([run.status, run.output, run.error], ['succeeded', 'Done.', null])
      const steps = await calls().steps(advancing)
      assert.deepEqual(
        steps.filter(({ kind }) => kind === 'model').map(({ tries }) => tries),
        Array(MOST_DEATHS + 1).fill(2),
      )
      const { error } = await calls().ended(killing)
      assert.deepEqual([error.code, error.details.reason], ['PROCESSING_FAILED', 'crashed_repeatedly'])
      assert.equal(askedFor('Kill.'), MOST_DEATHS)
      for (const other of others) assert.equal((await calls().ended(other)).status, 'succeeded')
    })

    it('made calls side by side: those that may be are made once more, with the same key, and what is known is kept', async () => {
      const { agentId, calls, restart } = stand
      const asked = ['find', 'act', 'find', 'act'].map((name, n): [string, string] => [
        `crm__${name}`,
        JSON.stringify({ n }),
      ])
      tools.asksFor(...asked)
      /** Calls by their number, in the order in which they came. */
      const came: number[] = []
      const answered = { content: [{ type: 'text', text: 'found' }] }
      let isKilled = false
      const call = async ({ n }: Record<string, unknown>) => {
        came.push(Number(n))
        // Before the kill the last two are answered, and the others never.
        return isKilled || Number(n) > 1 ? answered : new Promise<object>(() => {})
      }
      tools.mcp.tools = tools.mcp.tools.map((tool) => ({ ...tool, call }))
      const { id } = await calls().run(agentId, 'Find, and act.')
      const stepsOf = async () => (await calls().steps(id)).filter(({ kind }) => kind === 'tool')
      const statuses = async () => (await stepsOf()).map(({ status }) => status).join(' ')
      await until(statuses, (seen) => seen === 'started started succeeded succeeded', {
        what: 'two of four calls to be answered',
      })
      await until(
        () => came.length,
        (count) => count === 4,
        { what: 'four calls to come' },
      )
      isKilled = true
      await restart()
      const run = await calls().ended(id)
      assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
      const steps = await stepsOf()
      assert.deepEqual(
        steps.map(({ name, status, reason, tries, credits }) => [name, status, reason, tries, credits]),
        [
          ['crm__find', 'succeeded', null, 2, 1],
          ['crm__act', 'unknown', 'process_died', 1, 1],
          ['crm__find', 'succeeded', null, 1, 1],
          ['crm__act', 'succeeded', null, 1, 1],
        ],
      )
      assert.deepEqual([came.slice(0, 4).sort(), came.slice(4)], [[0, 1, 2, 3], [0]])
      const keys = tools.called().map(({ arguments: given, stepId }) => [(given as { n: number }).n, stepId])
      for (const [n, stepId] of keys) assert.equal(stepId, steps[Number(n)]?.id)
      assert.deepEqual(
        tools.results().map((result) => /outcome of this call is unknown/.test(result)),
        [false, true, false, false],
      )
      const cost = (await calls().steps(id)).reduce((sum, { credits }) => sum + credits, 0)
      assert.equal(run.credits, cost)
      assert.equal((await calls().get('/v1/billing/balance')).body.reserved, 0)
    })
  })
