import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { localTrail } from '#src/audit/audit.ts'
import { SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { Server } from '#src/http/server.ts'
import { endOrganization } from '#src/operator/end-organization.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { begin } from '../support/chat-server.ts'
import { type LiveStream, openEvents, watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { useProcesses } from '../support/processes.ts'
import { until, within } from '../support/waits.ts'

const tools = await useAgentTools()
const plan = (modules: string[]) => ({ requestsPerMinute: null, modules, creditsPerCycle: null })
const PLANS = plansFile({ plans: { rich: plan(['agents']), bare: plan(['webhooks']) } })

interface Stand {
  /** Where rights end; on PostgreSQL another process than the one whose streams are watched. */
  one: Postern
  /** Whose streams are open, where it is a person. */
  person: Person
  admin: Person
  /** The name of the organization. */
  name: string
}

/** Names the request that is held back. */
const HELD = 'x-held'

/** How a right ends, and whose streams are open by then: another person's, or those of a key of the administrator's. */
interface Right {
  what: string
  of: 'person' | 'key'
  end(stand: Stand): Promise<unknown>
}

const command = async ({ one }: Stand, ...args: string[]) => {
  const { code, err } = await postern(one, ...args)
  assert.equal(code, 0, err)
}
const done = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer
  assert.ok(status < 300, text)
}
const RIGHTS: Right[] = [
  {
    what: 'its session is signed out',
    of: 'person',
    end: ({ person }) => done(person.client.post('/v1/auth/sign-out')),
  },
  {
    what: 'its member is removed',
    of: 'person',
    end: ({ one, admin, person }) =>
      done(
        one.client().delete(`/v1/organizations/${admin.organizationId}/members/${person.accountId}`, {
          token: admin.token,
        }),
      ),
  },
  {
    what: 'its account is disabled by a command',
    of: 'person',
    end: (stand) => command(stand, 'account', '--email', stand.person.email, '--disable'),
  },
  {
    what: 'its key is deleted',
    of: 'key',
    async end({ one, admin: { token } }) {
      const { body } = await one.client().get('/v1/api-keys', { token })
      await done(one.client().delete(`/v1/api-keys/${body.data[0].id}`, { token }))
    },
  },
  {
    what: 'the module is switched off',
    of: 'key',
    end: ({ one, admin }) =>
      done(
        one
          .client()
          .patch(
            `/v1/operator/organizations/${admin.organizationId}`,
            { modules: { agents: false } },
            { token: OPERATOR_TOKEN },
          ),
      ),
  },
  {
    what: 'its organization has another plan, without the module, by a command',
    of: 'key',
    end: (stand) => command(stand, 'plan', '--organization', stand.name, '--plan', 'bare'),
  },
  {
    what: 'its organization is ended by a command',
    of: 'key',
    async end({ one, admin, name }) {
      const { database } = one.app
      const organization = { id: admin.organizationId as Id<'organization'>, name }
      // As the command does, which then waits for what was begun meanwhile.
      await database.tx((tx) => endOrganization(tx, localTrail(one.clock.now()), organization))
      database.notifier.notify('credentials')
    },
  },
]

onBothEngines('an open stream of a run', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const options = { env: { ...tools.env, PLANS_FILE: PLANS, DEFAULT_PLAN: 'rich' }, extend: holdBack }
  const single = usePostern(engine, options)
  const several = useProcesses(options)
  let second: Promise<Postern> | undefined
  let held = { isLetIn: Promise.withResolvers<void>(), goOn: Promise.withResolvers<void>() }
  beforeEach(() => {
    tools.reset()
    held = { isLetIn: Promise.withResolvers(), goOn: Promise.withResolvers() }
    // It never ends by itself.
    tools.chat.answer = (_asked, response) => begin(response)
  })

  /** Keeps a request that has been let in from being answered, until the test says so. */
  function holdBack(server: Server): void {
    server.addHook('preHandler', async ({ headers }) => {
      if (headers[HELD] === undefined) return
      held.isLetIn.resolve()
      await held.goOn.promise
    })
  }

  /** Two processes where there can be two. */
  async function processes(): Promise<{ one: Postern; two: Postern }> {
    if (engine === 'sqlite') return { one: await single(), two: await single() }
    const { one, processes } = await several()
    second ??= processes.start(options)
    return { one, two: await second }
  }

  async function stand(of: Right['of']) {
    const { one, two } = await processes()
    const name = newEmail('Org')
    const admin = await administrator(one, name)
    const person = of === 'person' ? await member(one, admin) : admin
    const token = of === 'person' ? person.token : await apiKey(one, admin)
    const agentId = await agentCalls(one, admin).agent({ model: 'stub' })
    const path = `/v1/agents/${agentId}/runs`
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const body = JSON.stringify({ input: 'Go on.' })
    const start = () =>
      openEvents(`${two.url}${path}`, {
        ...{ method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } },
      })
    const watch = (runId: unknown) => openEvents(`${two.url}/v1/runs/${runId}/events`, { headers })
    return { one, two, name, admin, person, token, headers, start, watch }
  }

  /** Waits until the process with the streams refuses the credential, or its permission. */
  async function refuses(two: Postern, token: string): Promise<void> {
    await until(
      () => {
        two.clock.advance(SECOND)
        return two.client().get('/v1/runs?limit=1', { token })
      },
      ({ status }) => status >= 400,
      { what: 'the right to have ended' },
    )
  }

  async function isEnded(stream: LiveStream): Promise<void> {
    const end = await stream.sees('its end', ({ event }) => event === 'end')
    assert.deepEqual(end.data, { reason: 'revoked' })
    await within('the answer to end', stream.over)
    assert.equal(stream.seen.at(-1)?.event, 'end')
  }

  for (const { what, of, end } of RIGHTS)
    test(`ends within seconds, with its reason, when ${what}`, async () => {
      const { two, token, start, watch, ...more } = await stand(of)
      const started = await start()
      const { data } = await started.sees('the run to be asked for', ({ event }) => event === 'run.queued')
      const streams = [
        ...[started, await watch(data.runId)],
        await watchLive(two.url, token, { query: '?topics=runs' }),
      ]
      // Alone, nobody tells: then it is seen by time alone, and that does not pass by itself here.
      using _ = engine === 'sqlite' ? two.clock.stop() : { [Symbol.dispose]() {} }
      await end(more as Stand)
      await refuses(two, token)
      two.clock.advance(5 * SECOND)
      for (const stream of streams) await isEnded(stream)
    })

  it('ends when the right to it ended after the request was let in, and before it was answered', async () => {
    const { two, admin, person, token, start, headers } = await stand('person')
    const started = await start()
    const { data } = await started.sees('the run to be asked for', ({ event }) => event === 'run.queued')
    started.leave()
    const url = `${two.url}/v1/runs/${data.runId}/events`
    const opening = openEvents(url, { headers: { ...headers, [HELD]: 'yes' } })
    await within('the request to be let in', held.isLetIn.promise)
    using _ = two.clock.stop()
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    await done(two.client().delete(path, { token: admin.token }))
    held.goOn.resolve()
    const stream = await opening
    assert.equal((await two.client().get('/v1/runs?limit=1', { token })).status, 401)
    two.clock.advance(5 * SECOND)
    await isEnded(stream)
  })
})
