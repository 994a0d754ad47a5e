import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { lastDue, nextDue } from '#src/backups/schedule-times.ts'
import { schedule } from '#src/config/backup-schedule.ts'
import { DAY, HOUR, MINUTE } from '#src/core/clock.ts'
import { nightly } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import {
  freshStore,
  onBothEngines,
  type Postern,
  postern,
  readyStore,
  startPostern,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { leastStretch, strain } from '../support/stretch.ts'
import { until } from '../support/waits.ts'

const PASSPHRASE = 'correct horse battery staple'

it('backups are due at times of the day, over midnight', () => {
  const daily = schedule('15:30,03:00')
  const midnight = 20_000 * DAY
  assert.equal(lastDue(daily, midnight), midnight - DAY + 15.5 * HOUR)
  assert.equal(lastDue(daily, midnight + 3 * HOUR), midnight + 3 * HOUR)
  assert.equal(nextDue(daily, midnight + 3 * HOUR), midnight + 15.5 * HOUR)
  assert.equal(nextDue(daily, midnight + 16 * HOUR), midnight + DAY + 3 * HOUR)
  for (const text of ['', '3:00', '24:00', 'daily', '03:00 15:00'])
    assert.throws(() => schedule(text), /must/)
})

onBothEngines('backups by themselves', (engine) => {
  const test = testOnOneEngineByDay(engine)
  it('are made, the first before any time has passed, kept in number, told by metrics, and restored', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const folder = join(DATA_DIR, 'backups')
    const env = {
      BACKUP_TO: folder,
      BACKUP_SCHEDULE: 'hourly',
      BACKUP_KEEP: '1',
      BACKUP_PASSPHRASE: PASSPHRASE,
    }
    const server = await startPostern(engine, { env })
    try {
      await administrator(server)
      mkdirSync(folder, { recursive: true })
      const foreign = [
        'postern-2001-01-01T000000Z.tar',
        'postern-2999-01-01T000000Z.tar',
        'postern-2999-01-02T000000Z.tar',
      ]
      for (const name of foreign) writeFileSync(join(folder, name), 'made by a person')
      const made = new Set<string>()
      for (let count = 1; count <= 2; count += 1) {
        const ours = () => tars(folder).filter((name) => !foreign.includes(name))
        const isThere = () => ours().some((name) => !made.has(name))
        if (count === 1) await until(isThere, Boolean, { what: 'the first backup' })
        else await untilMade(server, folder, isThere)
        for (const name of ours()) made.add(name)
        server.clock.advance(HOUR)
      }
      await until(
        () => tars(folder),
        (names) => names.length <= 1 + foreign.length,
        { what: 'the oldest to be removed' },
      )
      const newest = [...made].sort().slice(-1)
      assert.deepEqual(tars(folder), [...foreign, ...newest].sort(), 'the newest, and those of others')
      assert.match(await metricsOf(server), /^postern_backup_failing_seconds 0$/m)
      assert.match(await metricsOf(server), /^postern_backup_age_seconds \d/m)
    } finally {
      await server.stop()
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.tar')),
      [],
    )
    const store = await freshStore('sqlite')
    const [newest = ''] = tars(folder)
      .filter((name) => !name.includes('2999'))
      .toReversed()
    const restored = await postern(
      { env: { ...store, BACKUP_PASSPHRASE: PASSPHRASE } },
      'restore',
      '--from',
      join(folder, newest),
    )
    assert.equal(restored.code, 0, restored.err)
  })

  test('that fail are told by metrics and doctor, and made once that has passed', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const folder = join(DATA_DIR, 'away')
    writeFileSync(folder, 'a file where a folder should be')
    const server = await startPostern(engine, { env: { BACKUP_TO: folder } })
    try {
      await until(
        async () => {
          await advanceAtRest(server, MINUTE)
          return metricsOf(server)
        },
        (text) => /^postern_backup_failing_seconds [1-9]/m.test(text),
        { what: 'the failure in the metrics' },
      )
      const { code, out } = await postern(server, 'doctor')
      assert.doesNotMatch(await metricsOf(server), /^postern_backup_age_seconds /m)
      assert.equal(code, 1)
      assert.match(
        out,
        /problem +Backups +they fail since .*: BACKUP_TO .*away is a file, and must be a folder\. Set another BACKUP_TO\.; see BACKUP_TO/,
      )
      rmSync(folder)
      await untilMade(server, folder, (names) => names.length > 0)
      await until(
        async () => {
          await advanceAtRest(server, MINUTE)
          return metricsOf(server)
        },
        (text) => /^postern_backup_failing_seconds 0$/m.test(text),
        { what: 'no failure in the metrics' },
      )
      for (const name of tars(folder)) rmSync(join(folder, name))
      assert.match((await postern(server, 'doctor')).out, /problem +Backups +the newest, .*, is not there/)
    } finally {
      await server.stop()
    }
  })
})

/** Of what a backup is made: at 2 KB each. */
const ROWS = nightly(30_000, 10_000)

it(`a backup of ${ROWS / 500} MB keeps no other work of its server waiting for 20 ms`, async () => {
  const store = await readyStore('sqlite')
  const DATA_DIR = store.DATA_DIR ?? ''
  const database = new DatabaseSync(join(DATA_DIR, 'postern.db'))
  database.exec(`
    insert into meta (key, value)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
    select 'filler ' || n, hex(randomblob(1000)) from numbers`)
  database.close()
  const BACKUP_TO = join(DATA_DIR, 'backups')
  const server = await startPostern('sqlite', { env0: store, env: { BACKUP_TO } })
  try {
    strain()
    let made = 0
    const longest = await leastStretch(20, async () => {
      // The first is made at the start, each other one when a day has passed.
      if (made > 0) server.clock.advance(DAY)
      await untilMade(server, BACKUP_TO, (names) => names.length > made)
      made += 1
    })
    const [name = ''] = tars(BACKUP_TO)
    assert.ok(statSync(join(BACKUP_TO, name)).size > ROWS * 2_000)
    assert.ok(longest <= 20, `${longest} ms of the event loop`)
  } finally {
    await server.stop()
  }
})

function tars(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.tar'))
        .sort()
    : []
}

/** Lets the time pass in which the job is added and found. */
function untilMade(server: Postern, folder: string, isSo: (names: string[]) => boolean): Promise<string[]> {
  const look = async () => {
    await advanceAtRest(server, MINUTE)
    return tars(folder)
  }
  return until(look, isSo, { what: 'a backup' })
}

async function metricsOf(server: Postern): Promise<string> {
  return (await server.client().get('/metrics')).text
}
