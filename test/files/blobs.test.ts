import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { pino } from 'pino'
import { keepBlob } from '#src/blobs/blob-row.ts'
import { type Blobs, createBlobs } from '#src/blobs/create-blobs.ts'
import { openStorage } from '#src/blobs/open-storage.ts'
import { sweepBlobs } from '#src/blobs/sweep.ts'
import { readConfig } from '#src/config/config.ts'
import { DAY, HOUR, systemClock } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { createResolver } from '#src/net/resolver.ts'
import { assertError } from '../support/attacks.ts'
import { useDatabase } from '../support/database.ts'
import { onBothEngines, type Postern, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import { startStorage, type TestStorage } from '../support/storage.ts'
import { until } from '../support/waits.ts'
import { keeper, PATIENCE } from './support.ts'

onBothEngines('files in a storage that speaks S3', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let storage: Promise<TestStorage> | undefined
  const start = () => {
    storage ??= startStorage()
    return storage
  }
  const started: Postern[] = []
  const on = async (url: string) => {
    const postern = await startPostern(engine, { env: { BLOBS_URL: url } })
    started.push(postern)
    return postern
  }
  after(async () => {
    for (const postern of started) await postern.stop()
    await (await storage)?.stop()
  })

  test('are written, processed, read in part and in whole, and removed', async () => {
    const { url, objects } = await start()
    const postern = await on(url())
    const { key, upload, get } = await keeper(postern)
    const { body } = await upload('from afar ✓', 'a.txt', { headers: { prefer: 'wait=30' } })
    assert.equal(body.status, 'processed')
    assert.equal(objects().length, 2)
    assert.equal((await get(`/v1/files/${body.id}/text`)).body.text, 'from afar ✓')
    const whole = await get(`/v1/files/${body.id}/content`)
    assert.equal(whole.text, 'from afar ✓')
    const headers = { range: 'bytes=5-8' }
    assert.equal((await get(`/v1/files/${body.id}/content`, { headers })).text, 'afar')
    assert.equal((await postern.client().delete(`/v1/files/${body.id}`, { token: key })).status, 204)
    postern.clock.advance(2_000)
    await until(objects, ({ length }) => length === 0, { what: 'the objects to be gone', patience: PATIENCE })
  })

  test('that it does not take are PROCESSING_FAILED, and no secret is said', async () => {
    const { url, objects } = await start()
    const postern = await on(url('STRANGER', 'a-wrong-secret'))
    const { upload, get } = await keeper(postern)
    assertError(await upload('a text'), 'PROCESSING_FAILED', { reason: 'not_stored' })
    assert.equal(objects().length, 0)
    assert.deepEqual((await get('/v1/files')).body.data, [])
    assert.ok(!postern.log().includes('a-wrong-secret'))
  })
})

onBothEngines('bytes and their rows', (engine) => {
  const open = useDatabase(engine)
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  async function stand() {
    const database = await open()
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-blobs-'))
    folders.push(dataDir)
    const config = readConfig({ DATA_DIR: dataDir })
    const deps = { clock: systemClock, resolve: createResolver({ clock: systemClock }) }
    const blobs: Blobs = createBlobs({ config, database, log: pino({ level: 'silent' }), ...deps })
    const organizationId = newId('organization', systemClock.now())
    const organization = {
      id: organizationId,
      name: organizationId,
      plan: 'free',
      flags: '{}',
      created_at: 0,
    }
    await database.tx((tx) => tx.insertInto('organization').values(organization).execute())
    const write = (text: string) => {
      async function* source() {
        yield Buffer.from(text)
      }
      return blobs.write(organizationId, source(), 100)
    }
    const files = () =>
      readdirSync(join(dataDir, 'blobs'), { recursive: true }).filter((name) => String(name).includes('blb_'))
    const bytes = openStorage(config, deps)
    const sweep = (later: number) => sweepBlobs({ database, bytes, now: systemClock.now() + later })
    const stored = async () =>
      (
        await database.db
          .selectFrom('storage')
          .select('bytes')
          .where('organization_id', '=', organizationId)
          .executeTakeFirst()
      )?.bytes
    return { database, blobs, write, files, sweep, stored, bytes }
  }

  it('stay while a request may still keep them, and go when none can any more', async () => {
    const { database, blobs, write, files, sweep, stored } = await stand()
    const [kept, left] = [await write('kept'), await write('left')]
    await sweep(0)
    assert.equal(files().length, 2)
    await database.tx((tx) => blobs.keep(tx, kept, null, systemClock.now()))
    await sweep(2 * HOUR)
    assert.deepEqual([files().length, Number(await stored())], [1, 4])
    // A caller that comes too late gets an error, and no row without bytes is kept.
    await assert.rejects(
      database.tx((tx) => blobs.keep(tx, left, null, systemClock.now())),
      {
        code: 'PROCESSING_FAILED',
      },
    )
    await database.tx((tx) => blobs.drop(tx, kept.id, systemClock.now()))
    await sweep(0)
    assert.deepEqual([files().length, Number(await stored())], [0, 0])
  })

  it('go though others before them cannot be removed, which are tried again by the next sweep', async () => {
    const { database, write, files, bytes } = await stand()
    const [stuck, good] = [await write('stuck'), await write('good')]
    const now = systemClock.now() + 2 * HOUR
    const failing = { ...bytes, remove: async (id: string) => (id === stuck.id ? deny() : bytes.remove(id)) }
    const deny = () => Promise.reject(new Error('not permitted'))
    await assert.rejects(sweepBlobs({ database, bytes: failing, now }), /not permitted/)
    assert.deepEqual(
      files().map((name) => String(name).endsWith(stuck.id)),
      [true],
      good.id,
    )
    await sweepBlobs({ database, bytes, now })
    assert.deepEqual(files(), [])
  })

  it('agree when a row commits at the moment of the sweep: it has its bytes, or does not commit', async () => {
    const { database, write, files, sweep } = await stand()
    const blobs = await Promise.all(Array.from({ length: 20 }, (_, index) => write(`blob ${index}`)))
    const [kept] = await Promise.all([
      Promise.allSettled(
        blobs.map((blob) =>
          database.tx((tx) => keepBlob(tx, blob, null, systemClock.now())).then(() => blob.id),
        ),
      ),
      sweep(DAY),
      sweep(DAY),
    ])
    const ids = kept.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const there = files().map(String)
    for (const id of ids)
      assert.ok(
        there.some((name) => name.endsWith(id)),
        `${id} has no bytes`,
      )
    assert.equal(files().length, ids.length)
  })
})
