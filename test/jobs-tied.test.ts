import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { pino } from 'pino'
import { readConfig } from '#src/config/config.ts'
import { DAY, SECOND, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { createJobs, type Jobs } from '#src/jobs/create-jobs.ts'
import { endJobs } from '#src/jobs/rows/row.ts'
import type { Handler } from '#src/jobs/rows/row-kind.ts'
import { useDatabase } from './support/database.ts'
import { leased, newLease } from './support/leased.ts'
import { onBothEngines } from './support/postern.ts'
import { until } from './support/waits.ts'

/** Long enough for any machine; what is waited for comes at once where it works. */
const PATIENCE = 30 * SECOND

onBothEngines('jobs of slices', (engine) => {
  const open = useDatabase(engine)
  const started: Jobs[] = []
  let kinds = 0
  afterEach(async () => {
    for (const jobs of started.splice(0)) await jobs.stop()
  })

  async function stand(work: Handler['work'], more: Partial<Handler> = {}) {
    const database = await open()
    kinds += 1
    const kind = `tied.${kinds}`
    const organizationId = newId('organization', systemClock.now())
    const organization = {
      id: organizationId,
      name: organizationId,
      plan: 'free',
      flags: '{}',
      created_at: 0,
    }
    await database.tx((tx) => tx.insertInto('organization').values(organization).execute())
    const settled: [Id<'job'>, string][] = []
    const log = pino({ level: 'silent' })
    const lease = newLease(database)
    const jobs = leased(
      lease,
      createJobs({ config: readConfig({}), clock: systemClock, log, database }, lease),
    )
    const handler: Handler = { kind, longest: DAY, waits: [1], isRepeatable: true, ...more, work }
    jobs.register(handler, {
      places: 4,
      onSettled: async (_, { job, status }) => void settled.push([job.id, status]),
    })
    await jobs.start()
    started.push(jobs)
    const add = () =>
      database.tx((tx) => {
        const now = systemClock.now()
        const life = { dueAt: now, horizon: now + DAY }
        return jobs.add(
          tx,
          { kind, organizationId, laneId: organizationId, cap: 4, payload: {}, ...life },
          now,
        )
      })
    const row = (id: Id<'job'>) =>
      database.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return { database, jobs, organizationId, add, row, settled }
  }

  it('are done as soon as they are committed, and who waits for the end hears of it', async () => {
    const { jobs, add, row, settled } = await stand(async () => ({ done: 'well' }))
    const id = await add()
    await jobs.ended(id, PATIENCE)
    assert.equal((await row(id)).status, 'done')
    assert.deepEqual(settled, [[id, 'done']])
    // One that has ended is not waited for.
    await jobs.ended(id, PATIENCE)
  })

  it('are waited for no longer than was asked for', async () => {
    const held = Promise.withResolvers<void>()
    const { jobs, add, row } = await stand(async () => {
      await held.promise
      return { done: null }
    })
    const id = await add()
    await jobs.ended(id, 1)
    assert.equal((await row(id)).status, 'pending')
    held.resolve()
    await jobs.ended(id, PATIENCE)
  })

  it('end at once when they are cancelled while they are done', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const { database, jobs, organizationId, add, row } = await stand(async (_, { signal }) => {
      begun.resolve(signal)
      return new Promise(() => {})
    })
    const id = await add()
    const signal = await begun.promise
    await database.tx((tx) => jobs.cancel(tx, organizationId, id, systemClock.now()))
    await jobs.ended(id, PATIENCE)
    assert.equal((await row(id)).status, 'cancelled')
    assert.equal(signal.aborted, true)
  })

  it('of an organization that ends are cancelled, those under way with the next poll', async () => {
    const begun = Promise.withResolvers<void>()
    const { database, jobs, organizationId, add, row } = await stand(async () => {
      begun.resolve()
      return new Promise(() => {})
    })
    const id = await add()
    await begun.promise
    await database.tx((tx) => endJobs(tx, organizationId, systemClock.now()))
    await jobs.ended(id, PATIENCE)
    assert.equal((await row(id)).status, 'cancelled')
  })

  it('that are cut off by an orderly end are due at once, and done by the next process', async () => {
    const begun = Promise.withResolvers<void>()
    const { jobs, add, row } = await stand(async () => {
      begun.resolve()
      return new Promise(() => {})
    })
    const id = await add()
    await begun.promise
    await jobs.stop()
    const {
      status,
      claim_id,
      begun: starts,
    } = await until(
      () => row(id),
      ({ claim_id }) => claim_id === null,
      { what: 'the claim to be given back' },
    )
    assert.deepEqual([status, claim_id, starts], ['pending', null, 0])
  })
})
