import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import type { Id } from '#src/core/id.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { begin } from '../support/chat-server.ts'
import { holdRows } from '../support/held-rows.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'

const tools = await useAgentTools()

/** Open runs of an organization at most. */
const MOST_OPEN = 10_000

onBothEngines('runs that are asked for at the same time', (engine) => {
  const server = usePostern(engine, { env: { ...tools.env, DEFAULT_PLAN: 'unlimited' } })
  beforeEach(() => {
    tools.reset()
    // No run ends unless a test lets it.
    tools.chat.answer = (_asked, response) => begin(response)
  })

  async function stand() {
    const running = await server()
    const admin = await administrator(running)
    const calls = agentCalls(running, admin)
    const agent = (fields: object = {}) => calls.agent({ model: 'stub', ...fields })
    const start = (agentId: string, input = 'Go.') => calls.post(`/v1/agents/${agentId}/runs`, { input })
    const organizationId = admin.organizationId as Id<'organization'>
    return { running, calls, agent, start, organizationId }
  }

  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status)

  it('are each made by their own agent, in its present version and with its time, or refused alone', async () => {
    const [ours, theirs] = [await stand(), await stand()]
    const [short, long, gone] = [
      await ours.agent({ timeoutMs: 5_000 }),
      await ours.agent({ timeoutMs: 60_000 }),
      await ours.agent(),
    ]
    const foreign = await theirs.agent({ timeoutMs: 7_000 })
    await ours.calls.patch(`/v1/agents/${long}`, { timeoutMs: 90_000 })
    await ours.calls.delete(`/v1/agents/${gone}`)
    const asked = Array.from({ length: 8 }, (_, index) => [
      ours.start(short, `${index} "short" \\ {}`),
      ours.start(long, `${index} long`),
      ours.start(gone),
      ours.start(foreign),
      theirs.start(foreign, `${index} theirs`),
      theirs.start(short),
    ])
    const answers = await Promise.all(asked.flat())
    assert.deepEqual(
      statusesOf(answers),
      Array.from({ length: 8 }, () => [202, 202, 404, 404, 202, 404]).flat(),
    )
    for (const [index, { status, body }] of answers.entries())
      if (status === 404)
        assert.equal(body.error.details.value, [gone, foreign, undefined, short][(index % 6) - 2])
    const { db } = ours.running.app.database
    const accepted = answers.filter(({ status }) => status === 202)
    for (const { body } of accepted) {
      const id = body.id as Id<'run'>
      const run = await db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const [, kind] = body.input.match(/(short|long|theirs)/)
      const [agentId, version, time] = {
        short: [short, 1, 5_000],
        long: [long, 2, 90_000],
        theirs: [foreign, 1, 7_000],
      }[kind as 'short'] as [string, number, number]
      assert.deepEqual(
        [run.agent_id, run.agent_version, run.left_ms, run.input],
        [agentId, version, time, body.input],
      )
      const whose = kind === 'theirs' ? theirs : ours
      assert.equal(run.organization_id, whose.organizationId)
      const { status } = (await whose.calls.get(`/v1/runs/${id}`)).body
      assert.ok(['queued', 'running'].includes(status), status)
    }
    assert.equal(new Set(accepted.map(({ body }) => body.id)).size, accepted.length)
    assert.equal(new Set(accepted.map(({ headers }) => headers.get('location'))).size, accepted.length)
  })

  it('are open ten thousand to an organization at most', async () => {
    const { running, agent, start, organizationId } = await stand()
    const other = await stand()
    const [agentId, theirs] = [await agent(), await other.agent()]
    const count = MOST_OPEN - 10
    const columns = sql`run (id, organization_id, agent_id, agent_version, owner_id, status, input, file_ids, metadata, left_ms,
      created_at, updated_at)`
    const values = sql`${organizationId} || '-' || i, ${organizationId}, ${agentId}, 1, 'acc', 'queued', '', '[]', '{}', 0, 0, 0`
    await running.app.database.tx((tx) =>
      (engine === 'sqlite'
        ? sql`insert into ${columns} with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
            select ${values} from n`
        : sql`insert into ${columns} select ${values} from generate_series(1, ${count}::int) as n (i)`
      ).execute(tx),
    )
    const asked = Array.from({ length: 30 }, () => start(agentId))
    const elsewhere = await other.start(theirs)
    const answers = await Promise.all(asked)
    assert.equal(elsewhere.status, 202)
    assert.deepEqual(
      [202, 429].map((status) => answers.filter((one) => one.status === status).length),
      [10, 20],
    )
    for (const answer of answers.filter(({ status }) => status === 429))
      assertError(answer, 'RATE_LIMITED', { retryAfterSeconds: 5 })
  })

  if (engine === 'sqlite') return

  it('wait for a transaction that changes their agent, and start with its version or not at all', async () => {
    const [ours, theirs] = [await stand(), await stand()]
    const [held, free, foreign] = [await ours.agent(), await ours.agent(), await theirs.agent()]
    const changes: [string, (answer: Answer) => void][] = [
      [
        `with added as (
          insert into agent_version (agent_id, version, definition, created_by, created_at)
          select agent_id, 2, replace(definition, '"timeoutMs":', '"timeoutMs":1,"before":'), created_by, created_at
          from agent_version where agent_id = $1)
        update agent set version = 2 where id = $1`,
        ({ status, body }) => assert.deepEqual([status, body.agentVersion], [202, 2]),
      ],
      [
        `update agent set status = 'deleted' where id = $1`,
        (answer) => assertError(answer, 'ENTITY_NOT_FOUND', { field: 'id', value: held }),
      ],
    ]
    for (const [statement, isAsExpected] of changes) {
      const rows = await holdRows(ours.running, 'agent', 'id = $1', [held])
      try {
        const waiting = await rows.lineUp(() => ours.start(held))
        // Runs of other agents and of other organizations start, because the transaction skips the locked agent.
        const others = await Promise.all([ours.start(free), theirs.start(foreign), theirs.start(foreign)])
        assert.deepEqual(statusesOf(others), [202, 202, 202])
        await rows.change(statement, [held])
        isAsExpected(await waiting.answer)
      } finally {
        await rows.release()
      }
    }
    const { rows } = await sql<{ left_ms: number }>`select left_ms from run where agent_id = ${held}`.execute(
      ours.running.app.database.db,
    )
    assert.deepEqual(rows, [{ left_ms: 1 }])
  })
})
