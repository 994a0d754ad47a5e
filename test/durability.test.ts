import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import { pause } from '#src/core/clock.ts'
import { UnknownOutcomeError } from '#src/db/engine/engine.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { createCheckpoints } from '#src/db/sqlite/checkpoints.ts'
import { remedyOf } from '#src/db/sqlite/errors.ts'
import { openSqlite } from '#src/db/sqlite/sqlite.ts'
import { createWriter } from '#src/db/sqlite/writer.ts'
import { Client } from './support/browser.ts'
import { freshStore } from './support/postern.ts'
import { startProcess } from './support/process.ts'
import { PATIENCE } from './support/waits.ts'

/** What SQLite's `pragma synchronous` answers: whether a commit is flushed to the disk. */
const [NORMAL, FULL] = [1, 2]

describe('the embedded store', () => {
  async function open() {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const engine = openSqlite(DATA_DIR)
    after(() => engine.close())
    return { engine, file: join(DATA_DIR, 'postern.db') }
  }

  /** A database whose chosen statements fail as they do on a broken disk. */
  async function openFaulty(faults: Record<string, string>, errcode = 10) {
    const { file } = await open()
    const real = new DatabaseSync(file)
    after(() => real.close())
    const fail = (text: string) => () => {
      throw Object.assign(new Error(text), { errcode })
    }
    const database = new Proxy(real, {
      get(target, name) {
        if (name !== 'prepare') {
          const value = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        }
        return (statement: string) => {
          const fault = faults[statement]
          return fault === undefined
            ? target.prepare(statement)
            : { run: fail(fault), get: fail(fault), setReadBigInts() {} }
        }
      },
    })
    return { database }
  }

  async function flushes(tx: Tx): Promise<number | undefined> {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx)
    return rows[0]?.synchronous
  }

  it('flushes every commit that somebody waits for, before and after one that does not wait for the disk', async () => {
    const { tx, relaxed } = (await open()).engine
    assert.equal(await tx(flushes), FULL)
    assert.equal(await relaxed(flushes), NORMAL)
    assert.equal(await tx(flushes), FULL)
    // What is asked for while a commit is under way shares the next one.
    const underWay = Promise.withResolvers<void>()
    const first = relaxed(() => underWay.promise)
    const shared = Promise.all([relaxed(flushes), tx(flushes), relaxed(flushes)])
    underWay.resolve()
    await first
    assert.deepEqual(await shared, [FULL, FULL, FULL])
    assert.equal(await relaxed(flushes), NORMAL)
    await assert.rejects(
      relaxed(async () => {
        throw new Error('it does not commit')
      }),
    )
    assert.equal(await tx(flushes), FULL)
  })

  it('flushes a commit for a work that comes right after a transaction without such works has begun', async () => {
    const { file } = await open()
    const database = new DatabaseSync(file)
    after(() => database.close())
    let late: Promise<number | undefined> | undefined
    const watched = new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name !== 'prepare') return value.bind(target)
        return (text: string) => {
          const statement = target.prepare(text)
          if (text !== 'begin immediate') return statement
          const begin = () => {
            statement.run()
            queueMicrotask(() => {
              late ??= writer.write(flushes, true)
            })
          }
          return { run: begin, setReadBigInts() {} }
        }
      },
    })
    const writer = createWriter({ database: watched, afterCommit: () => undefined, onBroken: assert.fail })
    assert.equal(await writer.write(flushes, false), NORMAL)
    assert.equal(await late, FULL)
  })

  it('waits for another process that writes without holding up anybody else', async () => {
    const { engine, file } = await open()
    await engine.tx(async (tx) => sql`create table kept (value integer)`.execute(tx))
    const other = new DatabaseSync(file)
    after(() => other.close())
    other.exec('begin immediate')
    const written = engine.tx(async (tx) => sql`insert into kept values (1)`.execute(tx))
    // A wait in SQLite would block the thread, and this timer with it.
    await pause(500)
    assert.equal(engine.waiting(), 1)
    other.exec('commit')
    await written
    const { rows } = await sql<{ value: number }>`select value from kept`.execute(engine.db)
    assert.equal(rows[0]?.value, 1)
  })

  it('goes on when the log cannot be looked at after a commit, and says so', async () => {
    const { database } = await openFaulty({ 'pragma wal_checkpoint(noop)': 'disk I/O error' })
    const troubles: string[] = []
    const writer = createWriter({
      database,
      onBroken: assert.fail,
      afterCommit: createCheckpoints(database, {
        file: '',
        openDescriptor: () => -1,
        onBroken: assert.fail,
        onTrouble: ({ message }) => troubles.push(message),
      }).afterCommit,
    })
    for (const value of [1, 2]) {
      assert.equal(await writer.write(async () => value, true), value)
      await writer.idle()
    }
    assert.equal(troubles.join(), Array(2).fill('the log of the database cannot be looked at').join())
  })

  for (const [fault, errcode, isKnown] of [
    ['the disk is full', 13, true],
    ['a constraint forbids it', 787, true],
    ['an exception of another kind, while it is under way', 0, true],
    ['the disk refuses to write', 778, false],
    ['the disk refuses to flush', 1034, false],
  ] as const)
    it(`${isKnown ? 'says that nothing was done' : 'does not claim to know the outcome'} where a commit fails: ${fault}`, async () => {
      const { database } = await openFaulty({ commit: fault }, errcode)
      const writer = createWriter({ database, afterCommit: () => undefined, onBroken: () => {} })
      const failed = await writer.write(async () => {}, true).catch((error: unknown) => error)
      assert.equal(failed instanceof UnknownOutcomeError, !isKnown)
      assert.match(String(isKnown ? failed : (failed as Error).cause), new RegExp(fault))
    })

  it('blames the disk for what the disk has done, and for nothing else', () => {
    const broken = (errcode?: number) =>
      new Error('broken', { cause: Object.assign(new Error(), { errcode }) })
    for (const error of [broken(1034), broken(13), new Error('a flush was refused')])
      assert.match(remedyOf(error), /^Look at the disk/)
    for (const error of [broken(), broken(1)]) assert.match(remedyOf(error), /^It was not the disk/)
  })

  for (const [step, errcode] of [
    ['commit', 1034],
    ['rollback', 10],
  ] as const) {
    it(`writes nothing more after a ${step} that the disk has refused, and says so once`, async () => {
      const { database } = await openFaulty({ [step]: 'disk I/O error' }, errcode)
      const broken: Error[] = []
      const writer = createWriter({
        database,
        afterCommit: () => undefined,
        onBroken: (error) => broken.push(error),
      })
      const fails = async () => {
        if (step === 'rollback') throw new Error('it does not commit')
      }
      await assert.rejects(writer.write(fails, true))
      await writer.idle()
      for (const isDurable of [true, false])
        await assert.rejects(
          writer.write(async () => {}, isDurable),
          /the embedded database cannot be written any more/,
        )
      assert.equal(broken.length, 1)
      assert.match(String(broken[0]?.cause), /disk I\/O error/)
    })
  }

  it('answers /livez and reads while another process holds its write lock', async () => {
    const store = await freshStore('sqlite')
    const server = await startProcess(store)
    const client = new Client(server.url)
    // The server may be writing just now.
    const other = new DatabaseSync(join(store.DATA_DIR ?? '', 'postern.db'), { timeout: PATIENCE })
    after(() => other.close())
    other.exec('begin immediate')
    const writing = client.post('/v1/auth/sign-in/email', {
      email: 'ada@acme.test',
      password: 'wrong password',
    })
    for (const path of ['/livez', '/readyz', '/v1/errors', '/livez'])
      assert.equal((await client.get(path)).status, 200)
    other.exec('commit')
    // It had waited meanwhile: nobody gave it up.
    assert.equal((await writing).status, 401)
    assert.equal(await server.end(), 0)
  })
})
