import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import { partOf } from '#src/backups/part-name.ts'
import { renameNew } from '#src/backups/rename-new.ts'
import { restore } from '#src/backups/restore.ts'
import { openTarWriter, readTar } from '#src/backups/tar.ts'
import { readConfig } from '#src/config/config.ts'
import { type Millis, pause, systemClock } from '#src/core/clock.ts'
import { copySqlite } from '#src/db/copy-rows.ts'
import { Client } from '../support/browser.ts'
import { everySum } from '../support/every-table.ts'
import { liveIn, proveLivedIn } from '../support/lived-in.ts'
import { nightly } from '../support/nightly.ts'
import { openEngine } from '../support/older-store.ts'
import { administrator, apiKey } from '../support/people.ts'
import {
  ENGINES,
  freshStore,
  onBothEngines,
  onOneEngineByDay,
  type Postern,
  postern,
  readyStore,
  startPostern,
} from '../support/postern.ts'
import { runProcess, type ServerProcess, startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { until, within } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-backups-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const BACKUP_PASSPHRASE = 'correct horse battery staple'
const sealed = (env: Record<string, string>) => ({ env: { ...env, BACKUP_PASSPHRASE } })
const newFile = () => join(folder, `${crypto.randomUUID()}.tar`)

/** The pause of each publisher after an event: while a small backup is made, that is still dozens of events. */
const PUBLISHES_EVERY: Millis = 5

/** Publishes until it is stopped, whatever becomes of the server. @returns what was acknowledged so far, and what ends it */
function publishOn({ url }: ServerProcess, key: string) {
  const acknowledged: string[] = []
  let isOver = false
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ type: 'agent.run.completed', data: RUN })
  const publish = async () => {
    const answer = await fetch(`${url}/v1/events`, { method: 'POST', headers, body }).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    // Without an answer nothing was acknowledged.
    if (answer === undefined || text === undefined) return
    assert.equal(answer.status, 202, text)
    acknowledged.push(JSON.parse(text).id)
  }
  const done = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        await publish()
        await pause(PUBLISHES_EVERY)
      }
    }),
  )
  return {
    acknowledged,
    async stop() {
      isOver = true
      await done
    },
  }
}

/** Reads the 100 newest delivered deliveries. @returns the ids of their events */
async function settledBy({ url }: ServerProcess, key: string): Promise<string[]> {
  const { body } = await new Client(url).get('/v1/deliveries?status=delivered&limit=100', { token: key })
  return body.data.map(({ eventId }: { eventId: string }) => eventId)
}

onBothEngines('a backup made under load', (engine) => {
  // Into the other engine as well, at night.
  for (const target of nightly(ENGINES, [engine]))
    it(`of a server that is killed and whose folder is destroyed brings back all that was acknowledged before its moment, into ${target}, and sends nothing again that had been settled`, async () => {
      const first = await startPostern(engine)
      const [lived, receiver] = [await liveIn(first), await startReceiver()]
      const key = await apiKey(first, await administrator(first))
      const webhook = { url: receiver.url, events: ['agent.run.completed'] }
      assert.equal((await callsOf(first, key).post('/v1/webhooks', webhook)).status, 201)
      await first.stop()
      const server = await startProcess(first.env)
      const load = publishOn(server, key)
      let restored: Postern | undefined
      try {
        const enough = (count: number) => count >= 20
        const settled = await until(
          () => settledBy(server, key),
          ({ length }) => enough(length),
          { what: 'settled deliveries' },
        )
        const before = [...load.acknowledged]
        const file = newFile()
        const made = await postern(sealed(first.env), 'backup', '--to', file)
        assert.equal(made.code, 0, made.err)
        assert.match(made.out, /The key is in it, sealed under the passphrase/)
        assert.equal(statSync(file).mode & 0o777, 0o600)
        assert.ok(load.acknowledged.length > before.length, 'it was published while the backup was made')
        const after = load.acknowledged.length
        await until(() => load.acknowledged.length - after, enough, { what: 'events after the backup' })
        await server.kill()
        rmSync(first.env.DATA_DIR ?? '', { recursive: true })
        await load.stop()

        const store = await freshStore(target)
        const { code, out, err } = await postern(sealed(store), 'restore', '--from', file)
        assert.equal(code, 0, err)
        assert.match(out, /sealed values of \d+ tables open under the key/)
        assert.match(out, /What happened after that moment is not there/)
        assert.ok(!existsSync(join(store.DATA_DIR ?? '', 'restoring')))
        const sent = receiver.received.length
        const PORT = first.env.PORT ?? ''
        restored = await startPostern(target, { env0: { ...store, PORT }, clock: first.clock })
        const rows = await restored.app.database.db.selectFrom('event').select('id').execute()
        const ids = new Set<string>(rows.map(({ id }) => id))
        assert.deepEqual(
          before.filter((id) => !ids.has(id)),
          [],
          'acknowledged before, and lost',
        )
        await proveLivedIn(restored, lived)
        const arrived = () => new Set(receiver.received.map(({ event }) => event.id))
        await until(arrived, (known) => before.every((id) => known.has(id)), {
          what: 'all that was acknowledged before to arrive',
        })
        const again = new Set(receiver.received.slice(sent).map(({ event }) => event.id))
        assert.deepEqual(
          settled.filter((id) => again.has(id)),
          [],
          'settled before, and sent again',
        )
      } finally {
        await server.kill()
        await load.stop()
        await restored?.stop()
        await Promise.all([lived.receiver.stop(), receiver.stop()])
      }
    })
})

it('an embedded database that is copied in many steps is as it was at one moment, though commits come between them', async () => {
  const env = await readyStore('sqlite')
  const database = new DatabaseSync(join(env.DATA_DIR ?? '', 'postern.db'))
  database.exec('pragma synchronous=off; create table large (number integer primary key, bytes blob)')
  const add = database.prepare('insert into large values (?, zeroblob(100000))')
  const steps = 300
  for (let number = 0; number < steps; number += 1) add.run(number)
  const count = database.prepare(
    'update large set number = number + 1 where number = (select max(number) from large)',
  )
  const commits = { done: 0, isOver: false }
  const committing = (async () => {
    while (!commits.isOver) {
      count.run()
      commits.done += 1
      await pause(1)
    }
  })()
  try {
    const copy = join(folder, `${crypto.randomUUID()}.db`)
    writeFileSync(copy, '')
    await within(
      'a copy that commits do not begin anew',
      copySqlite(join(env.DATA_DIR ?? '', 'postern.db'), copy),
    )
    const copied = new DatabaseSync(copy, { readOnly: true })
    const { rows, last } =
      copied.prepare('select count(*) as rows, max(number) as last from large').get() ?? {}
    assert.equal(copied.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    copied.close()
    assert.equal(rows, steps)
    assert.ok(
      Number(last) - steps < commits.done,
      `${commits.done} commits, the copy has those until ${last}`,
    )
  } finally {
    commits.isOver = true
    await committing
    database.close()
  }
})

describe('a backup of a database of PostgreSQL that others use as well', {
  skip: !ENGINES.includes('postgres') && 'this run has no PostgreSQL',
}, () => {
  it('takes the tables of Postern, and says which it does not take', async () => {
    const env = await readyStore('postgres')
    const invited = await postern({ env }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
    assert.equal(invited.code, 0, invited.err)
    const before = await everySum(env)
    const engine = openEngine(env)
    await engine.tx((tx) =>
      sql
        .raw('create table users (id int primary key, born date); create table orders (at timestamptz)')
        .execute(tx),
    )
    await engine.close()
    const file = newFile()
    const made = await postern(sealed(env), 'backup', '--to', file)
    assert.equal(made.code, 0, made.err)
    assert.match(
      made.out,
      /2 tables of the database are not of Postern, and not in it \(orders, users\): pg_dump takes them\./,
    )
    const store = await freshStore('sqlite')
    const restored = await postern(sealed(store), 'restore', '--from', file)
    assert.equal(restored.code, 0, restored.err)
    assert.deepEqual(await everySum(store), before)
  })
})

describe('a backup', () => {
  it('is a tar whose digests `sha256sum` checks, and holds the key under the passphrase alone', async () => {
    const { server, file } = await theOne()
    const out = mkdtempSync(join(folder, 'out-'))
    execFileSync('tar', ['--extract', '--file', file, '--directory', out])
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out })
    const about = JSON.parse(readFileSync(join(out, 'postern.json'), 'utf8'))
    assert.equal(about.key, 'sealed')
    const key = readFileSync(join(server.DATA_DIR ?? '', 'secret.key'), 'utf8').trim()
    assert.ok(!readFileSync(file).includes(key))
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('.part')),
      [],
      'left behind',
    )
  })

  it('leaves the key out only where somebody says so', async () => {
    const { server } = await theOne()
    const unsaid = await postern({ env: server }, 'backup', '--to', newFile())
    assert.equal(unsaid.code, 2)
    assert.match(unsaid.err, /BACKUP_PASSPHRASE must be set, 12 characters or more/)
    const file = newFile()
    const without = await postern({ env: server }, 'backup', '--to', file, '--without-key')
    assert.equal(without.code, 0, without.err)
    assert.match(without.out, /The key is not in it: keep the file .*secret\.key as well/)
    const store = await freshStore('sqlite')
    const refused = await postern({ env: store }, 'restore', '--from', file)
    assert.match(
      refused.err,
      /The key is not in this backup: put it back as .*secret\.key, or set SECRET_KEY/,
    )
    writeFileSync(
      join(store.DATA_DIR ?? '', 'secret.key'),
      readFileSync(join(server.DATA_DIR ?? '', 'secret.key')),
    )
    assert.equal((await postern({ env: store }, 'restore', '--from', file)).code, 0)
  })

  it('clears what a backup that was killed has left in its folder, and nothing of one that is under way', {
    skip: process.platform !== 'linux' && 'no system that tells of processes',
  }, async () => {
    const { server } = await theOne()
    const to = mkdtempSync(join(folder, 'parts-'))
    const module = new URL('../../src/backups/part-name.ts', import.meta.url).href
    const said = `import(${JSON.stringify(module)}).then(({ partOf }) => console.log(partOf('a.tar')))`
    const dead = execFileSync(process.execPath, ['-e', said], { encoding: 'utf8' }).trim()
    const alive = partOf('a.tar')
    for (const part of [dead, alive])
      for (const end of ['', '.db', '.sums']) writeFileSync(join(to, part + end), 'x')
    const made = await postern(sealed(server), 'backup', '--to', join(to, 'b.tar'))
    assert.equal(made.code, 0, made.err)
    assert.deepEqual(readdirSync(to).sort(), [alive, `${alive}.db`, `${alive}.sums`, 'b.tar'].sort())
  })

  it('never overwrites a file, and names a folder that is not there', async () => {
    const { server, file } = await theOne()
    const once = await postern(sealed(server), 'backup', '--to', file)
    assert.match(once.err, /exists already and is left as it is/)
    const none = await postern(sealed(server), 'backup', '--to', join(folder, 'none', 'x.tar'))
    assert.match(none.err, /is in a folder that does not exist/)
    assert.deepEqual([once.code, none.code], [1, 1])
  })
})

/** A small installation, and a backup of it. */
async function makeOne(): Promise<{ server: Record<string, string>; file: string }> {
  const server = await freshStore('sqlite')
  const env = { ...server, SMTP_URL: 'smtp://127.0.0.1:1' }
  const invited = await postern({ env }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
  assert.equal(invited.code, 0, invited.err)
  const file = newFile()
  const { code, err } = await postern(sealed(server), 'backup', '--to', file)
  assert.equal(code, 0, err)
  return { server, file }
}

let one: ReturnType<typeof makeOne> | undefined

/** As `makeOne`, once for all that only read it. */
function theOne(): ReturnType<typeof makeOne> {
  one ??= makeOne()
  return one
}

/** Names and bytes of the entries, with a change made to some. */
async function changed(file: string, change: (bytes: Buffer) => Buffer | undefined): Promise<string> {
  const to = newFile()
  writeFileSync(to, change(readFileSync(file)) ?? readFileSync(file))
  return to
}

describe('where there is no room', () => {
  // A file may be larger than this user may write without any right to mount.
  const LIMITED = ['/bin/sh', '-c', 'ulimit -f 1000; exec "$@"', 'sh']

  it('a backup names its file and the free bytes, says what to do, and leaves nothing', {
    skip: process.platform !== 'linux' && 'no limit of files that a shell sets',
  }, async () => {
    const { server } = await theOne()
    const to = mkdtempSync(join(folder, 'limited-'))
    const made = await runProcess(
      ['backup', '--without-key', '--to', join(to, 'b.tar')],
      server,
      undefined,
      LIMITED,
    )
    assert.equal(made.code, 1)
    assert.match(
      made.err,
      /^The disk of \S+\/b\.tar is full \(\d+ bytes free; ulimit -f or a quota may keep them from this user\)\. A backup needs .* Make room on it, or name another place for the backup\. Nothing of this one is left\.\n$/,
    )
    assert.deepEqual(readdirSync(to), [])
  })

  it('a backup onto a full disk says the same', async (context) => {
    const { server } = await theOne()
    const to = mkdtempSync(join(folder, 'small-'))
    const disk = mountSmallDisk(to, 900)
    if (disk === undefined) return context.skip('a small disk cannot be made here')
    try {
      const made = await postern(sealed(server), 'backup', '--to', join(to, 'b.tar'))
      assert.equal(made.code, 1)
      assert.match(made.err, /^The disk of \S+\/b\.tar is full \(9\d\d\d\d\d bytes free\)\./)
      assert.deepEqual(readdirSync(to), [])
    } finally {
      disk.remove()
    }
  })

  it('a restore names the disk, and changes nothing', async () => {
    const { file } = await theOne()
    const store = await freshStore('sqlite')
    const { code, err } = await runProcess(
      ['restore', '--from', file],
      { ...store, BACKUP_PASSPHRASE },
      undefined,
      LIMITED,
    )
    assert.equal(code, 1)
    assert.match(
      err,
      /^The disk of \S+ is full \(\d+ bytes free; ulimit -f or a quota may keep them from this user\)\. Make room on it, or set another DATA_DIR\. A restore needs as much as the backup takes\. Nothing was changed\.\n$/,
    )
    assert.deepEqual(leftIn(store), [])
  })
})

describe('postern restore', () => {
  it('says that the clock of the installation was moved, and what follows', async () => {
    const { server } = await makeOne()
    const database = new DatabaseSync(join(server.DATA_DIR ?? '', 'postern.db'))
    database.exec("insert into meta (key, value) values ('clock_ahead', '86400000')")
    database.close()
    const file = newFile()
    assert.equal((await postern(sealed(server), 'backup', '--to', file)).code, 0)
    const store = await freshStore('sqlite')
    const { code, out, err } = await postern(sealed(store), 'restore', '--from', file)
    assert.equal(code, 0, err)
    assert.match(out, /was moved 86400 s ahead .*start it with DEV_CLOCK=on; without that a start is refused/)
  })

  const refusals: [string, RegExp, (file: string) => Promise<string>][] = [
    [
      'that was cut',
      /cannot be restored: it was cut\. Nothing/,
      (file) => changed(file, (bytes) => bytes.subarray(0, bytes.length / 2)),
    ],
    [
      'without its end',
      /cannot be restored: it was cut\. Nothing/,
      (file) => changed(file, (bytes) => bytes.subarray(0, -1_024)),
    ],
    [
      'with a flipped bit in its database',
      /cannot be restored: its digests differ\. Nothing/,
      (file) => flipped(file, 20_000),
    ],
    [
      'with a flipped bit in a head',
      /cannot be restored: it is no backup, or a part of it was changed\. Nothing/,
      (file) => flipped(file, 3),
    ],
    [
      'that is none',
      /cannot be restored: it is no backup/,
      (file) => changed(file, () => Buffer.alloc(2_048, 'x')),
    ],
    [
      'with a name that leads elsewhere',
      /cannot be restored: it has an entry of a name that no backup has\. Nothing/,
      (file) => renamed(file, 'postern.db', '../evil.db'),
    ],
    [
      'with a file of another name',
      /cannot be restored: it has an entry of a name that no backup has\. Nothing/,
      (file) => renamed(file, 'postern.db', 'blobs/../../x'),
    ],
    [
      'of a newer version',
      /was made by Postern .* \(form 9, .*restore it with that Postern\. Nothing/,
      (file) => replaced(file, '"format": 1', '"format": 9'),
    ],
    [
      'of a newer schema',
      /was made by Postern .*schema version 99/,
      (file) => replaced(file, /"schema": \d\d/, '"schema": 99'),
    ],
  ]
  for (const [what, sentence, make] of refusals)
    it(`refuses a backup ${what}, in one sentence, and leaves nothing`, async () => {
      const { file } = await theOne()
      const store = await freshStore('sqlite')
      const { code, err } = await postern(sealed(store), 'restore', '--from', await make(file))
      assert.equal(code, 1)
      assert.match(err, sentence)
      assert.equal(err.split('\n').length, 1)
      assert.deepEqual(leftIn(store), [])
    })

  it('says that a folder is no backup', async () => {
    const store = await freshStore('sqlite')
    const folder = store.DATA_DIR ?? ''
    const { code, err } = await postern(sealed(store), 'restore', '--from', folder)
    assert.deepEqual(
      [code, err.trim()],
      [1, `${folder} is a folder: --from names a backup in it. Nothing was changed.`],
    )
  })

  it('refuses a place where any of the files of a database is, and names that file', async () => {
    const { file } = await theOne()
    for (const end of ['-wal', '-shm', '-journal']) {
      const store = await freshStore('sqlite')
      const left = join(store.DATA_DIR ?? '', `postern.db${end}`)
      writeFileSync(left, 'of another database')
      const { code, err } = await postern(sealed(store), 'restore', '--from', file)
      assert.equal(code, 1)
      assert.match(
        err,
        /^There is a database in .* already \(.*\): name an empty folder .* Nothing was changed\.$/,
      )
      assert.ok(err.includes(`(${left})`), err)
      assert.deepEqual(leftIn(store), [`postern.db${end}`])
    }
  })

  it('looks again before the database gets its place, and replaces nothing that came meanwhile', async () => {
    const { file } = await theOne()
    const store = await freshStore('sqlite')
    const late = join(store.DATA_DIR ?? '', 'postern.db-wal')
    const passphrase = async () => {
      writeFileSync(late, 'of another database')
      return BACKUP_PASSPHRASE
    }
    await assert.rejects(
      restore(file, {
        ...{ config: readConfig(store), storage: undefined, isWithoutKey: false, passphrase },
        ...{ clock: systemClock, say() {}, onTable() {}, onIndexed() {} },
      }),
      /There is a database in .* already \(.*postern\.db-wal\)/,
    )
    assert.ok(!existsSync(join(store.DATA_DIR ?? '', 'postern.db')))
    const [part, taken] = [newFile(), newFile()]
    writeFileSync(part, 'new')
    writeFileSync(taken, 'old')
    assert.throws(() => renameNew(part, taken), /exists already and is left as it is/)
    assert.equal(readFileSync(taken, 'utf8'), 'old')
  })

  it('holds the lock of its folder: neither a server nor another restore begins meanwhile', async () => {
    const { file } = await theOne()
    const store = await freshStore('sqlite')
    const seen: string[] = []
    const passphrase = async () => {
      const server = await runProcess(['start'], { ...store, PORT: '0' })
      const other = await postern(sealed(store), 'restore', '--from', file)
      for (const { code, err } of [server, other]) {
        assert.equal(code, 1)
        seen.push(err)
      }
      return BACKUP_PASSPHRASE
    }
    await restore(file, {
      ...{ config: readConfig(store), storage: undefined, isWithoutKey: false, passphrase },
      ...{ clock: systemClock, say() {}, onTable() {}, onIndexed() {} },
    })
    assert.equal(seen.length, 2)
    for (const err of seen)
      assert.match(
        err,
        /^"postern restore" is at work on \S+ since \d{4}-\S+Z \(process \d+\)\. Wait until it has ended, then try again\./,
      )
    assert.ok(existsSync(join(store.DATA_DIR ?? '', 'postern.db')))
  })

  it('refuses a wrong passphrase, another key and a full place, and changes nothing', async () => {
    const [{ file }, other] = [await theOne(), await makeOne()]
    const store = await freshStore('sqlite')
    const wrong = await postern(
      { env: { ...store, BACKUP_PASSPHRASE: 'another horse battery' } },
      'restore',
      '--from',
      file,
    )
    assert.match(wrong.err, /^The passphrase is not the one .* sealed with\. Nothing was changed\.$/)
    assert.deepEqual(leftIn(store), [])

    const SECRET_KEY = 'a key of another installation, of 32 bytes and more'
    const foreign = await postern(sealed({ ...store, SECRET_KEY }), 'restore', '--from', file)
    assert.match(
      foreign.err,
      /^The backup is of an installation with another key \(fingerprint .* Nothing was changed\.$/,
    )

    const full = await postern(sealed(other.server), 'restore', '--from', file)
    assert.match(
      full.err,
      /^There is a database in .* already \(.*postern\.db\): name an empty folder as DATA_DIR\. Nothing was changed\.$/,
    )
    assert.deepEqual([wrong.code, foreign.code, full.code], [1, 1, 1])
    if (!ENGINES.includes('postgres')) return
    const postgres = await freshStore('postgres')
    await postern({ env: postgres }, 'invite', '--organization', 'Other', '--email', 'bob@other.test')
    const DATA_DIR = (await freshStore('sqlite')).DATA_DIR ?? ''
    const occupied = await postern(sealed({ ...postgres, DATA_DIR }), 'restore', '--from', file)
    assert.equal(occupied.code, 1)
    assert.match(occupied.err, /is not empty: it has rows of its own/)
  })
})

onOneEngineByDay('a restore into PostgreSQL', (engine) => {
  it('that is cut off and repeated with another backup ends with the rows of that one alone, and counts them', async () => {
    const env = await freshStore(engine)
    const begun = { ...env, SMTP_URL: 'smtp://127.0.0.1:1' }
    const make = async (organization: string) => {
      const invited = await postern(
        { env: begun },
        'invite',
        '--organization',
        organization,
        '--email',
        'ada@acme.test',
      )
      assert.equal(invited.code, 0, invited.err)
      const file = newFile()
      const made = await postern(sealed(env), 'backup', '--to', file)
      assert.equal(made.code, 0, made.err)
      return file
    }
    const [first, second] = [await make('Acme'), await make('Beta')]
    const turns = [
      [first, second, nightly(['mail', 'webhook_url'], ['mail'])],
      [second, first, nightly(['mail', 'webhook_url'], ['webhook_url'])],
    ] as const
    // Each of the two is the one that is cut off: by day the first on one engine and the second on the other, at night at each of the tables.
    for (const [from, other, lasts] of nightly(turns.slice(), [turns[engine === 'sqlite' ? 0 : 1]]))
      for (const last of lasts) {
        const store = await freshStore('postgres')
        const cut = restore(from, {
          ...{ config: readConfig(store), storage: undefined, isWithoutKey: false, clock: systemClock },
          ...{ passphrase: async () => BACKUP_PASSPHRASE, say() {}, onIndexed() {} },
          onTable({ table }) {
            if (table === last) throw new Error('cut off')
          },
        })
        await assert.rejects(cut, /cut off/)
        const DATA_DIR = (await freshStore('sqlite')).DATA_DIR ?? ''
        const again = await postern(sealed({ ...store, DATA_DIR }), 'restore', '--from', other, '--json')
        assert.equal(again.code, 0, again.err)
        const sums = await everySum(store)
        const alone = {
          ...(await freshStore('postgres')),
          DATA_DIR: (await freshStore('sqlite')).DATA_DIR ?? '',
        }
        assert.equal((await postern(sealed(alone), 'restore', '--from', other)).code, 0)
        assert.deepEqual(sums, await everySum(alone))
        const rows = Object.values(sums).reduce((all, sum) => all + Number.parseInt(sum, 10), 0)
        assert.equal(JSON.parse(again.out).rows, rows)
      }
  })
})

/** What is in the folder beside the lock, which stays: to remove it would let two hold one. */
function leftIn({ DATA_DIR = '' }: Record<string, string>): string[] {
  return readdirSync(DATA_DIR).filter((name) => name !== 'server.lock')
}

function flipped(file: string, at: number): Promise<string> {
  return changed(file, (bytes) => {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes
  })
}

/** Gives an entry another name, and the head its sum. */
function renamed(file: string, from: string, to: string): Promise<string> {
  return changed(file, (bytes) => {
    const head = bytes.indexOf(`${from}\0`)
    bytes.fill(0, head, head + 100)
    bytes.write(to, head)
    const sum = bytes
      .subarray(head, head + 512)
      .reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, head + 148)
    return bytes
  })
}

function replaced(file: string, from: string | RegExp, to: string): Promise<string> {
  return changed(file, (bytes) => Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1'))
}

describe('the writer of a tar', () => {
  it('writes to files that are new, follows no link, and is private whatever the umask is', async () => {
    const [other, link] = [newFile(), newFile()]
    writeFileSync(other, 'of somebody else')
    for (const taken of [link, `${link}.sums`]) {
      symlinkSync(other, taken)
      await assert.rejects(openTarWriter(link), /EEXIST/)
      assert.equal(readFileSync(other, 'utf8'), 'of somebody else')
      rmSync(taken)
      rmSync(link, { force: true })
    }
    const before = process.umask(0o277)
    const file = newFile()
    const tar = await openTarWriter(file).finally(() => process.umask(before))
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await tar.close()
  })
})

describe('the reader of a tar', () => {
  it('reads what GNU tar writes of the same files', async () => {
    const { file } = await theOne()
    const out = mkdtempSync(join(folder, 'out-'))
    execFileSync('tar', ['--extract', '--file', file, '--directory', out])
    const names = ['postern.json', 'key.json', 'postern.db', 'contents.json', 'SHA256SUMS']
    const repacked = newFile()
    execFileSync('tar', ['--format=ustar', '--create', '--blocking-factor=1', '--file', repacked, ...names], {
      cwd: out,
    })
    const read: string[] = []
    const bytes = async function* () {
      yield readFileSync(repacked)
    }
    for await (const entry of readTar(bytes(), () => true)) {
      read.push(entry.name)
      for await (const _ of entry.bytes);
    }
    assert.deepEqual(read, names.slice(0, -1))
  })
})
