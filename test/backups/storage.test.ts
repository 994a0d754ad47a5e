import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openStorage } from '#src/backups/storage.ts'
import { backupTo, inStorage } from '#src/config/backup-to.ts'
import { blobsUrl, type S3Config } from '#src/config/blobs-url.ts'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { type Clock, HOUR, MINUTE, SECOND, systemClock } from '#src/core/clock.ts'
import { createResolver } from '#src/net/resolver.ts'
import { testClock } from '../support/clock.ts'
import { administrator } from '../support/people.ts'
import { freshStore, onOneEngineByDay, type Postern, postern, startPostern } from '../support/postern.ts'
import { runProcess } from '../support/process.ts'
import { advanceAtRest } from '../support/rest.ts'
import { startStorage, type TestStorage } from '../support/storage.ts'
import { until } from '../support/waits.ts'

const BACKUP_PASSPHRASE = 'correct horse battery staple'
const MB = 1024 * 1024

let started: Promise<TestStorage> | undefined
const start = () => {
  started ??= startStorage()
  return started
}
const folder = mkdtempSync(join(tmpdir(), 'postern-storage-'))
after(async () => {
  rmSync(folder, { recursive: true })
  await (await started)?.stop()
})

it('the place of backups is read of its setting: a folder, a bucket of BLOBS_URL, or a storage of its own', () => {
  const files = blobsUrl('s3://KEY:SECRET@files.test/one?region=eu-west-1') as S3Config
  assert.deepEqual(inStorage(backupTo('s3://two/a/b/') ?? { folder: '' }, files), {
    s3: { ...files, bucket: 'two', prefix: 'a/b' },
  })
  assert.deepEqual(inStorage(backupTo('s3://K:S@other.test:9000/three') ?? { folder: '' }, files), {
    s3: blobsUrl('s3://K:S@other.test:9000/three'),
  })
  assert.deepEqual(backupTo('/backup'), { folder: '/backup' })
  const refusal = (env: Record<string, string>) => {
    assert.throws(() => readConfig(env), ConfigError)
    try {
      readConfig(env)
    } catch (error) {
      return (error as ConfigError).problems.join()
    }
    return ''
  }
  assert.match(
    refusal({ BACKUP_TO: 's3://two/a' }),
    /BACKUP_TO names a bucket without its storage: set BLOBS_URL/,
  )
  assert.match(refusal({ BACKUP_TO: 's3://K:hidden@h/B_AD' }), /BACKUP_TO must be s3:/)
  assert.doesNotMatch(refusal({ BACKUP_TO: 's3://K:hidden@h/B_AD' }), /hidden/)
})

describe('a large backup in a storage', () => {
  const whole = randomBytes(3 * MB + 5)
  const file = join(folder, 'whole')
  writeFileSync(file, whole)

  async function open(clock: Clock = systemClock) {
    const storage = await start()
    storage.fail(() => undefined)
    storage.requests.length = 0
    const config = blobsUrl(storage.url(undefined, undefined, 'large')) as S3Config
    const large = openStorage(config, { clock, resolve: createResolver({ clock }), partSize: MB })
    return { storage, large, write: (name: string) => large.write(name, file, whole.length) }
  }
  async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const piece of source) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  it('is sent in parts and read in parts, byte for byte, and leaves no upload', async () => {
    const { storage, large, write } = await open()
    try {
      await write('one.tar')
      assert.equal(storage.requests.filter((line) => line.includes('partNumber=')).length, 4)
      assert.deepEqual(readFileSync(storage.pathOf('large/one.tar')), whole)
      assert.deepEqual(await bytesOf(large.read('one.tar')), whole)
      assert.deepEqual(storage.uploads(), [])
      await large.remove('one.tar')
      assert.equal(await large.sizeOf('one.tar'), undefined)
    } finally {
      await large.close()
    }
  })

  it('is sent and read whole though the storage is overloaded and connections break', async () => {
    const { storage, large, write } = await open()
    try {
      const faults = [
        { status: 503, code: 'SlowDown' },
        'cut' as const,
        { status: 500, code: 'InternalError' },
      ]
      storage.fail((_, url) => (url.includes('partNumber=2') ? faults.pop() : undefined))
      await write('two.tar')
      const cuts = [{ cutAfter: 70_000 }, { cutAfter: 300_000 }]
      storage.fail((method) => (method === 'GET' ? cuts.pop() : undefined))
      assert.deepEqual(await bytesOf(large.read('two.tar')), whole)
      assert.deepEqual([faults, cuts], [[], []])
    } finally {
      await large.close()
    }
  })

  it('that is refused, or that never ends, leaves no upload, or one that is ended later', async () => {
    const { storage, large, write } = await open()
    try {
      storage.fail((method, url) =>
        method === 'PUT' && url.includes('partNumber=3') ? { status: 403, code: 'AccessDenied' } : undefined,
      )
      await assert.rejects(write('three.tar'), /answered 403 AccessDenied to PUT/)
      assert.deepEqual(storage.uploads(), [])
      storage.fail((method, url) =>
        url.includes('uploadId=') && (method === 'DELETE' || method === 'POST')
          ? { status: 403, code: 'AccessDenied' }
          : undefined,
      )
      await assert.rejects(write('three.tar'), /answered 403 AccessDenied to POST/)
      assert.deepEqual(storage.uploads(), ['large/three.tar'])
      storage.leaveUpload('large/three.tar.other')
      storage.fail(() => undefined)
      await large.endUploads('three.tar')
      assert.deepEqual(storage.uploads(), ['large/three.tar.other'])
      await large.endUploads('three.tar.other')
    } finally {
      await large.close()
    }
  })

  it('fails where the storage takes a request and says nothing', async () => {
    const clock = testClock()
    const { storage, large } = await open(clock)
    try {
      storage.fail(() => 'stall')
      const asked = large.sizeOf('four.tar').then(
        () => 'there',
        (error: Error) => error.message,
      )
      let said: string | undefined
      void asked.then((text) => {
        said = text
      })
      await until(
        () => {
          clock.advance(10 * SECOND)
          return said
        },
        (text) => text !== undefined,
        { what: 'the request to be given up' },
      )
      assert.match(said ?? '', /^the storage at http:.* does not answer \(timeout\)$/)
    } finally {
      await large.close()
    }
  })

  it('that is replaced while it is read is refused', async () => {
    const { large, write } = await open()
    try {
      await write('five.tar')
      const other = join(folder, 'other')
      writeFileSync(other, randomBytes(whole.length))
      const reading = large.read('five.tar')
      await reading.next()
      await large.write('five.tar', other, whole.length)
      await assert.rejects(bytesOf(reading), /has another five\.tar since it began to be read/)
    } finally {
      await large.close()
    }
  })
})

onOneEngineByDay('backups in a storage that speaks S3', (engine) => {
  const prefix = `of/${engine}`
  const tars = (storage: TestStorage) =>
    storage
      .objects()
      .filter((name) => name.startsWith(join('files', prefix, '')))
      .map((name) => name.replace(/^.*\/(.*)\._S3rver_object$/, '$1'))
      .sort()

  it('are made by themselves, kept in number, told, and restored; others stay', async () => {
    const storage = await start()
    storage.fail(() => undefined)
    const BACKUP_TO = storage.url(undefined, undefined, prefix)
    const env = { BACKUP_TO, BACKUP_SCHEDULE: 'hourly', BACKUP_KEEP: '1', BACKUP_PASSPHRASE }
    const server = await startPostern(engine, { env })
    try {
      await administrator(server)
      const made = new Set<string>()
      for (let count = 1; count <= 2; count += 1) {
        const isNew = (names: string[]) => names.some((name) => !made.has(name))
        for (const name of await untilMade(server, () => tars(storage), isNew)) made.add(name)
        if (count === 1) {
          const foreign = join(folder, 'foreign')
          writeFileSync(foreign, 'made by a person')
          const config = blobsUrl(BACKUP_TO) as S3Config
          const place = openStorage(config, {
            clock: systemClock,
            resolve: createResolver({ clock: systemClock }),
          })
          await place.write('postern-2001-01-01T000000Z.tar', foreign, 16)
          await place.close()
          made.add('postern-2001-01-01T000000Z.tar')
        }
        if (count < 2) server.clock.advance(HOUR)
      }
      await until(
        () => server.log().split('"backup made"').length - 1,
        (count) => count === 2,
        { what: 'the second backup to be noted' },
      )
      const kept = [...made].sort()
      const expected = [kept[0], kept.at(-1)]
      assert.deepEqual(tars(storage), expected)
      assert.match(await metricsOf(server), /^postern_backup_failing_seconds 0$/m)
      const { out } = await postern(server, 'doctor')
      assert.match(out, new RegExp(`Backups +the newest is s3://files/${prefix}/${kept.at(-1)}, of`))
      assert.ok(!`${out}${server.log()}`.includes(':S3RVER@'), 'no key is said')
      assert.deepEqual(
        readdirSync(server.env.DATA_DIR ?? '').filter((name) => name.includes('.tar')),
        [],
        'nothing of them stays on this machine',
      )
      const store = await freshStore(engine)
      const from = `s3://files/${prefix}/${kept.at(-1)}`
      const restored = await postern(
        { env: { ...store, BACKUP_TO, BACKUP_PASSPHRASE } },
        'restore',
        '--from',
        from,
      )
      assert.equal(restored.code, 0, restored.err)
      assert.match(restored.out, /Their digests are right/)
    } finally {
      await server.stop()
    }
  })

  it('are made by hand, never over another, and one that was changed or is not there is refused', async () => {
    const storage = await start()
    storage.fail(() => undefined)
    const BLOBS_URL = storage.url()
    const server = await startPostern(engine, { env: { BLOBS_URL, BACKUP_PASSPHRASE } })
    try {
      const place = `s3://files/by-hand/${engine}`
      const made = await postern(server, 'backup', '--to', place)
      assert.equal(made.code, 0, made.err)
      const [, file = ''] = /Made (s3:\S+\.tar): /.exec(made.out) ?? []
      assert.ok(file.startsWith(`${place}/postern-`), made.out)
      const again = await postern(server, 'backup', '--to', file)
      assert.equal(again.code, 1)
      assert.match(again.err, /exists already and is left as it is/)
      const restoreOf = async (from: string) =>
        postern(
          { env: { ...(await freshStore(engine)), BLOBS_URL, BACKUP_PASSPHRASE } },
          ...['restore', '--from', from],
        )
      const restored = await restoreOf(file)
      assert.equal(restored.code, 0, restored.err)
      const path = storage.pathOf(file.replace('s3://files/', ''))
      const bytes = readFileSync(path)
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
      writeFileSync(path, bytes)
      const changed = await restoreOf(file)
      assert.equal(changed.code, 1)
      assert.match(changed.err, /cannot be restored: .*Nothing was changed/)
      const missing = await restoreOf(`${place}/none.tar`)
      assert.deepEqual([missing.code, missing.err.trim()], [1, `There is no file ${place}/none.tar.`])
    } finally {
      await server.stop()
    }
  })

  it('wait for a storage that is busy, in a process that does nothing else, and say that one does not answer', async () => {
    const storage = await start()
    const BLOBS_URL = storage.url()
    const server = await startPostern(engine, { env: { BLOBS_URL, BACKUP_PASSPHRASE } })
    try {
      const file = `s3://files/busy/${engine}/one.tar`
      const env = { ...server.env, BLOBS_URL, BACKUP_PASSPHRASE }
      const twice = () => {
        let left = 2
        storage.fail(() => (left-- > 0 ? { status: 503, code: 'SlowDown' } : undefined))
      }
      twice()
      const made = await runProcess(['backup', '--to', file], env)
      assert.deepEqual([made.code, made.err], [0, ''])
      twice()
      const restored = await runProcess(['restore', '--from', file], {
        ...(await freshStore(engine)),
        ...{ BLOBS_URL, BACKUP_PASSPHRASE },
      })
      assert.equal(restored.code, 0, restored.err)
      const BACKUP_TO = 's3://KEY:a-secret@127.0.0.1:9/files?region=eu-west-1&tls=off'
      const away = await postern({ env: { ...env, BACKUP_TO } }, 'backup', '--to', file)
      assert.equal(away.code, 1)
      assert.match(away.err, /^the storage at http:\S+ does not answer \(unreachable\)\s*$/)
    } finally {
      storage.fail(() => undefined)
      await server.stop()
    }
  })

  it('that the storage refuses are told by metrics and doctor; the next one ends what was begun', async () => {
    const storage = await start()
    const refused = `refused/${engine}`
    storage.fail((method, url) => {
      if (method !== 'PUT') return undefined
      // As one that was killed meanwhile would.
      storage.leaveUpload(url.replace('/files/', ''))
      return { status: 403, code: 'AccessDenied' }
    })
    const env = { BACKUP_TO: storage.url(undefined, undefined, refused) }
    const server = await startPostern(engine, { env })
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
      assert.equal(code, 1)
      assert.match(
        out,
        /problem +Backups +they fail since .*: the storage at http:.* answered 403 AccessDenied to PUT/,
      )
      storage.leaveUpload(`${refused}/of-a-person.tar`)
      storage.fail(() => undefined)
      await until(
        async () => {
          await advanceAtRest(server, MINUTE)
          return metricsOf(server)
        },
        (text) => /^postern_backup_failing_seconds 0$/m.test(text),
        { what: 'no failure in the metrics' },
      )
      assert.deepEqual(
        storage.uploads().filter((name) => name.startsWith(refused)),
        [`${refused}/of-a-person.tar`],
      )
      assert.equal(storage.objects().filter((name) => name.includes(refused)).length, 1)
      storage.fail((method) => (method === 'HEAD' ? { status: 403, code: '' } : undefined))
      assert.match(
        (await postern(server, 'doctor')).out,
        /problem +Backups +the newest, s3:.*, cannot be seen from this machine: the storage at .* answered 403 to HEAD/,
      )
    } finally {
      await server.stop()
    }
  })
})

/** Lets the time pass in which the job is added and found. */
function untilMade(
  server: Postern,
  look: () => string[],
  isSo: (names: string[]) => boolean,
): Promise<string[]> {
  // So little that no second one comes due meanwhile.
  const pass = async () => {
    await advanceAtRest(server, 5 * SECOND)
    return look()
  }
  return until(pass, isSo, { what: 'a backup' })
}

async function metricsOf(server: Postern): Promise<string> {
  return (await server.client().get('/metrics')).text
}
