import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ModelOutcome } from '#src/agents/models/model.ts'
import { startRun } from '#src/agents/runs/start-run.ts'
import { createLiveRuns } from '#src/agents/steps/live-runs.ts'
import { createRunSignals } from '#src/agents/steps/run-signals.ts'
import type { StepDeps } from '#src/agents/steps/step-deps.ts'
import { createStepRun } from '#src/agents/steps/step-run.ts'
import { readSteps } from '#src/agents/steps/step-store.ts'
import type { Tool } from '#src/agents/tools/tool.ts'
import { createCharges } from '#src/billing/credits/reservations.ts'
import { systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import type { Database, Db, Tx } from '#src/db/database.ts'
import { afterCommit } from '#src/db/database.ts'
import type { Published, PublishRequest } from '#src/delivery/publish/publish.ts'
import { permissionsOf } from '#src/http/permissions.ts'
import type { Doing } from '#src/jobs/rows/row-kind.ts'
import { createMetrics } from '#src/shared/metrics.ts'
import { useDatabase } from '../support/database.ts'
import { onBothEngines } from '../support/postern.ts'
import { until } from '../support/waits.ts'

class Crash extends Error {}

/** An attempt that is not aborted. */
const DOING: Doing = {
  ...{ signal: new AbortController().signal, advanced() {} },
  attempt: { job: {} as never, claimer: 'w', isSettled: false },
}

/** What an organization has paid, and how much is set aside for it. */
async function moneyOf(db: Db, organizationId: Id<'organization'>): Promise<{ debit: number; held: number }> {
  const entries = await db
    .selectFrom('ledger_entry')
    .select('price')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'debit')
    .execute()
  const held = await db
    .selectFrom('reservation')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'held')
    .execute()
  return { debit: entries.reduce((sum, { price }) => sum + Number(price), 0), held: held.length }
}

/** A run and its steps in their order, as they are stored. */
async function stored(db: Db, runId: Id<'run'>) {
  const run = await db.selectFrom('run').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
  return { run, steps: await readSteps(db, runId) }
}

const USAGE = { inputTokens: 10, outputTokens: 10 }
const answer = (text: string, names: string[]): ModelOutcome => ({
  ...{ status: 'succeeded', text, finish: 'stop', usage: USAGE },
  calls: names.map((name, index) => ({ id: `call-${index}`, name, arguments: '{}' })),
})

onBothEngines('a run whose process dies', (engine) => {
  const open = useDatabase(engine)

  /**
   * A run that asks a model and calls tools: `once` may not be repeated, `often` may unless a test says
   * otherwise.
   * @param how failures of the model, its calls, whether these are made side by side, and more of its agent
   */
  async function stand({
    fails = [] as ModelOutcome[],
    asks = ['once', 'often'],
    isParallel = false,
    more = {},
  } = {}) {
    const failures = [...fails]
    /** How far the clock is ahead of the machine's. */
    let waited = 0
    const clock = { ...systemClock, now: () => systemClock.now() + waited }
    const database = await open()
    const now = systemClock.now()
    const organizationId = newId('organization', now)
    const agentId = newId('agent', now)
    const definition = {
      ...{ instructions: '', model: 'scripted', knowledgeBaseIds: [], tools: [], maxSteps: 12 },
      ...{ maxOutputTokens: 100, timeoutMs: 600_000, ...more },
    }
    const made = { created_by: 'acc', created_at: now }
    await database.tx(async (tx) => {
      const row = { id: organizationId, name: organizationId, plan: 'team', flags: '{}', created_at: now }
      await tx.insertInto('organization').values(row).execute()
      const agent = { id: agentId, organization_id: organizationId, name: 'Helper', version: 1 }
      await tx
        .insertInto('agent')
        .values({ ...agent, ...made, status: 'active', updated_at: now })
        .execute()
      const version = { agent_id: agentId, version: 1, definition: JSON.stringify(definition) }
      await tx
        .insertInto('agent_version')
        .values({ ...version, ...made })
        .execute()
    })
    const calls = new Map<string, number>()
    const events: string[] = []
    const tool = (name: string, isRepeatable: boolean): Tool => ({
      ...{ name, serverId: null, description: '', inputSchema: {}, isReadOnly: false, isRepeatable },
      isParallel,
      ...{ needsApproval: false, approvers: 'person' as const, definitionDigest: name },
      prepare:
        async () =>
        async (_args, { stepId }) => {
          calls.set(`${name} ${stepId}`, (calls.get(`${name} ${stepId}`) ?? 0) + 1)
          return { status: 'succeeded', text: 'done' }
        },
    })
    async function publishAll(tx: Tx, facts: PublishRequest[]): Promise<Published[]> {
      for (const { fact } of facts) afterCommit(tx, () => events.push(fact.type))
      return facts.map(() => ({ id: newId('event', now), deliveries: 0 }))
    }
    /** Deps of a process that dies at its n-th write, before or after it is on disk. */
    function process(dies: number, isAfter: boolean): StepDeps {
      let writes = 0
      const mortally =
        (write: Database['tx']): Database['tx'] =>
        async (work) => {
          writes += 1
          if (writes > dies || (writes === dies && !isAfter)) throw new Crash()
          const result = await write(work)
          if (writes === dies) throw new Crash()
          return result
        }
      const mortal: Database = { ...database, tx: mortally(database.tx), brief: mortally(database.brief) }
      return {
        ...{ clock, database: mortal, log: { info() {}, error() {} } as never },
        publish: (tx, moment, fact) =>
          publishAll(tx, [{ now: moment, fact }]).then(([published]) => published as Published),
        publishAll,
        ...{ charge: createCharges(BUILT_IN_PLANS), stepPrice: 1 },
        models: new Map([
          [
            'scripted',
            {
              ...{ name: 'scripted', prices: { inputPer1000: 100, outputPer1000: 100 } },
              ...{ contextTokens: 10_000, maxOutputTokens: 100 },
              respond: async ({ messages }) =>
                failures.shift() ??
                (messages.some(({ role }) => role === 'tool') ? answer('Done.', []) : answer('', asks)),
            },
          ],
        ]),
        toolSources: [
          {
            check: async () => {},
            open: async () => ({ tools: [tool('once', false), tool('often', true)], close: async () => {} }),
          },
        ],
        files: { find: async () => undefined, read: async () => undefined },
        jobs: {
          ...{ add: async () => newId('job', now), addAll: async () => [], cancel: async () => undefined },
          settleDone: async () => {},
        },
        ...{ signals: createRunSignals({ notify() {} }), live: createLiveRuns(), metrics: createMetrics() },
      }
    }
    const asker = { organizationId, actorId: 'acc', permissions: permissionsOf('member') }
    const whole = process(Number.POSITIVE_INFINITY, false)
    const run = await database.tx((tx) => startRun(tx, whole, asker, { agentId, input: 'Go.' }, now))
    const wait = (until: number) => {
      waited += Math.max(0, until - clock.now())
    }
    return { database, organizationId, runId: run.id as Id<'run'>, calls, events, process, whole, wait }
  }

  it('and whose model did not begin asks it again after its wait, whichever write was its last: that is paid once', async () => {
    const busy: ModelOutcome = {
      ...{ status: 'failed', reason: 'status_503', retry: 'free' },
      usage: { inputTokens: 0, outputTokens: 0 },
    }
    for (let dies = 1; ; dies += 1)
      for (const isAfter of [false, true]) {
        const { database, organizationId, runId, calls, process, whole, wait } = await stand({
          fails: [busy, busy],
        })
        const where = `died ${isAfter ? 'after' : 'before'} write ${dies}`
        let hasDied = false
        let deps = process(dies, isAfter)
        for (let turn: unknown; turn !== 'over'; ) {
          const asked = createStepRun(deps)(runId, DOING)
          turn = await asked.catch((error: unknown) => {
            assert.ok(error instanceof Crash, `${where}: ${String(error)}`)
            hasDied = true
            deps = whole
          })
          const { notBefore } = (turn ?? {}) as { notBefore?: number }
          if (notBefore !== undefined) wait(notBefore)
        }
        const { db } = database
        const { run, steps } = await stored(db, runId)
        assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'], where)
        for (const { reason, credits } of steps) if (reason === 'status_503') assert.equal(credits, 0, where)
        for (const [name, times] of calls) assert.ok(times === 1 || !name.startsWith('once'), where)
        const { debit, held } = await moneyOf(db, organizationId)
        const cost = steps.reduce((sum, { credits }) => sum + credits, 0)
        assert.deepEqual([debit, held], [cost, 0], where)
        if (!hasDied) return assert.ok(dies > 8, 'it died nowhere')
      }
  })

  for (const [what, how, least] of [
    ['from its steps', {}, 12],
    ['from calls that were made side by side', { asks: ['once', 'often', 'once'], isParallel: true }, 10],
  ] as const)
    it(`goes on ${what}, whichever write was its last: nothing that may not be is done twice, and it is paid once`, async () => {
      let outcomes = 0
      for (let dies = 1; ; dies += 1)
        for (const isAfter of [false, true]) {
          const { database, organizationId, runId, calls, events, process, whole } = await stand({
            ...how,
            asks: [...(how.asks ?? ['once', 'often'])],
          })
          const where = `died ${isAfter ? 'after' : 'before'} write ${dies}`
          let hasDied = false
          await createStepRun(process(dies, isAfter))(runId, DOING).catch((error: unknown) => {
            assert.ok(error instanceof Crash, `${where}: ${String(error)}`)
            hasDied = true
          })
          const deaths: number[] = []
          assert.equal(
            await createStepRun(whole)(runId, { ...DOING, advanced: (count = 0) => deaths.push(count) }),
            'over',
            where,
          )
          // One process has died, with however many calls.
          assert.ok(Math.max(0, ...deaths) <= 1, where)
          const { db } = database
          const { run, steps } = await stored(db, runId)
          assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'], where)
          assert.deepEqual(events, ['agent.run.completed'], where)
          for (const [name, times] of calls)
            assert.ok(times === 1 || !name.startsWith('once'), `${where}: ${name}`)
          for (const unknown of steps.filter(({ status }) => status === 'unknown'))
            assert.equal(unknown.name, 'once', where)
          const made = steps.filter(({ kind }) => kind === 'tool')
          assert.deepEqual(
            made.map(({ call_id }) => call_id),
            made.map((_, index) => `call-${index}`),
            where,
          )
          assert.ok(
            steps.every(({ status, reservation }) => status !== 'started' && reservation === null),
            where,
          )
          const cost = steps.reduce((sum, { credits }) => sum + credits, 0)
          assert.deepEqual(await moneyOf(db, organizationId), { debit: cost, held: 0 }, where)
          outcomes += 1
          if (!hasDied) return assert.ok(outcomes > least, 'it died nowhere')
        }
    })

  it('leaves what is unknown of calls that were made side by side, and makes those again that may be', async () => {
    const { database, runId, calls, whole, organizationId } = await stand({
      asks: ['once', 'often', 'often', 'once'],
      isParallel: true,
    })
    const died = Promise.withResolvers<void>()
    let begun = 0
    /** The first `often` answers; then, with all others under way, the process dies. */
    const open: StepDeps['toolSources'][number]['open'] = async (run) => {
      const [source] = whole.toolSources
      const opened = await source?.open(run)
      const tools = (opened?.tools ?? []).map(
        (tool): Tool => ({
          ...tool,
          prepare: async () => {
            const call = await tool.prepare()
            return async (...how) => {
              const outcome = await call(...how)
              begun += 1
              return tool.name === 'often' && begun === 2 ? outcome : died.promise.then(() => outcome)
            }
          },
        }),
      )
      return { tools, close: async () => {} }
    }
    let isDead = false
    const mortal: Database = {
      ...database,
      async tx(work) {
        if (isDead) throw new Crash()
        return database.tx(work)
      },
    }
    const source = { check: async () => {}, open }
    const first = createStepRun({ ...whole, database: mortal, toolSources: [source] })(runId, DOING)
    const stepsOf = () => readSteps(database.db, runId)
    await until(stepsOf, (steps) => steps[2]?.status === 'succeeded', {
      what: 'one of the calls to be written',
    })
    isDead = true
    died.resolve()
    await assert.rejects(first, Crash)
    assert.equal(await createStepRun(whole)(runId, DOING), 'over')
    const steps = await stepsOf()
    assert.deepEqual(
      steps.map(({ name, status, tries, first_seq }) => [name, status, tries, first_seq]),
      [
        ['scripted', 'succeeded', 1, null],
        ['once', 'unknown', 1, 2],
        ['often', 'succeeded', 1, 2],
        ['often', 'succeeded', 2, 2],
        ['once', 'unknown', 1, 2],
        ['scripted', 'succeeded', 1, null],
      ],
    )
    assert.deepEqual(
      steps.slice(1, 5).map(({ name, id }) => calls.get(`${name} ${id}`)),
      [1, 1, 2, 1],
    )
    const cost = steps.reduce((sum, { credits }) => sum + credits, 0)
    assert.deepEqual(await moneyOf(database.db, organizationId), { debit: cost, held: 0 })
  })

  it('asks its model once more whatever its agent says of calls that may have been paid: the process failed, not the model', async () => {
    for (const more of [
      {},
      { onModelFailure: 'fail' },
      { onModelFailure: 'retry' },
      { onModelFailure: 'fallback', fallbackModel: 'other' },
    ]) {
      const { database, runId, whole, organizationId } = await stand({ more })
      const asked: string[] = []
      const asking = Promise.withResolvers<void>()
      const late = Promise.withResolvers<ModelOutcome>()
      const [scripted] = whole.models.values()
      const respond =
        (answers: boolean): NonNullable<typeof scripted>['respond'] =>
        async (...how) => {
          asked.push('scripted')
          asking.resolve()
          return answers && scripted !== undefined ? scripted.respond(...how) : late.promise
        }
      const models = (answers: boolean) =>
        new Map(scripted === undefined ? [] : [['scripted', { ...scripted, respond: respond(answers) }]])
      const first = createStepRun({ ...whole, models: models(false) })(runId, DOING)
      await asking.promise
      assert.equal(await createStepRun({ ...whole, models: models(true) })(runId, DOING), 'over')
      // What comes for the process that lost the run counts for nothing.
      late.resolve(answer('Late.', []))
      assert.equal(await first, 'over')
      const { run, steps } = await stored(database.db, runId)
      assert.deepEqual([run.status, run.output, asked.length], ['succeeded', 'Done.', 3])
      assert.deepEqual(
        steps.map(({ name, tries }) => `${name} ${tries}`),
        ['scripted 2', 'once 1', 'often 1', 'scripted 1'],
      )
      const cost = steps.reduce((sum, { credits }) => sum + credits, 0)
      assert.deepEqual(await moneyOf(database.db, organizationId), { debit: cost, held: 0 })
    }
  })

  it('is written once a step, with the end of the one before, and once at its beginning and its end', async () => {
    const { database, runId, whole } = await stand()
    let writes = 0
    const counting =
      (write: Database['tx']): Database['tx'] =>
      (work) => {
        writes += 1
        return write(work)
      }
    const counted: Database = { ...database, tx: counting(database.tx), brief: counting(database.brief) }
    assert.equal(await createStepRun({ ...whole, database: counted })(runId, DOING), 'over')
    const steps = await database.db.selectFrom('step').select('status').where('run_id', '=', runId).execute()
    assert.deepEqual([steps.length, writes], [4, 6])
  })

  it('keeps what a step has come to where what comes next could not be written', async () => {
    for (let fails = 1; fails <= 5; fails += 1) {
      const { database, runId, calls, whole } = await stand()
      let writes = 0
      const failing: Database = {
        ...database,
        async tx(work) {
          writes += 1
          if (writes === fails) throw new Crash()
          return database.tx(work)
        },
      }
      const first = createStepRun({ ...whole, database: failing })(runId, DOING)
      await assert.rejects(first, Crash, `write ${fails}`)
      assert.equal(await createStepRun(whole)(runId, DOING), 'over')
      const steps = await readSteps(database.db, runId)
      const known = steps.map(({ status, tries }) => `${status} ${tries}`)
      assert.deepEqual(known, Array(4).fill('succeeded 1'), `write ${fails}`)
      assert.deepEqual([...calls.values()], [1, 1], `write ${fails}`)
    }
  })
})
