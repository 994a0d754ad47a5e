import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { freshStore, postern } from './support/postern.ts'
import { asNoRoot, runProcess, startProcess, WITHOUT_UMASK } from './support/process.ts'
import { mountSmallDisk } from './support/small-disk.ts'
import { refusedStart, startHere } from './support/start-here.ts'
import { within } from './support/waits.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-folder-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string) => join(folder, name)

function aFile(name: string): string {
  writeFileSync(place(name), 'somebody needs this')
  return place(name)
}

/** A folder with something in the place of the database. */
function withDatabase(name: string, put: (file: string) => void): string {
  mkdirSync(place(name), { mode: 0o700 })
  put(join(place(name), 'postern.db'))
  return place(name)
}

/** What DATA_DIR may be by mistake, and the one sentence about it. */
const MISTAKES: [string, () => string | undefined, RegExp][] = [
  [
    'where no folder can be made',
    () => (process.platform === 'linux' ? '/proc/nothing/here' : undefined),
    /^DATA_DIR \/proc\/nothing\/here cannot be made \(ENOENT in \/proc\)\. Make it for this user, or set another DATA_DIR\.$/,
  ],
  [
    'a file',
    () => aFile('a-file'),
    /^DATA_DIR \S+a-file is a file, and must be a folder\. Set another DATA_DIR\.$/,
  ],
  [
    'inside a file',
    () => join(aFile('another'), 'data'),
    /^DATA_DIR \S+data cannot be made \(\S+another is a file\)\. Make it for this user, or set another DATA_DIR\.$/,
  ],
  [
    'a folder whose database is no file',
    () => withDatabase('no-file', (file) => mkdirSync(file)),
    /^\S+postern\.db cannot be opened\. Look at what it is and who owns it, or set another DATA_DIR\.$/,
  ],
  [
    'a folder whose database is none',
    () => withDatabase('none', (file) => writeFileSync(file, 'this was a letter to my aunt\n'.repeat(1_000))),
    /^\S+postern\.db is damaged, or no database\. Put your last backup in its place, or set another DATA_DIR\.$/,
  ],
  [
    'a folder whose database may only be read',
    () =>
      asNoRoot() &&
      withDatabase('only-read', (file) => {
        new DatabaseSync(file).close()
        chmodSync(file, 0o444)
      }),
    /^This user may not write \S+only-read\/postern\.db\. Give it the right, or set another DATA_DIR\.$/,
  ],
]

/** Runs a command; where the rights of files matter, as a user without those of root. */
async function run(command: 'start' | 'doctor', env: Record<string, string>, byRights: boolean) {
  if (byRights) return runProcess([command], { ...env, PORT: '0', LOG_LEVEL: 'error' }, undefined, asNoRoot())
  return command === 'start' ? refusedStart(env) : postern({ env }, command)
}

describe('DATA_DIR', () => {
  for (const [what, make, sentence] of MISTAKES) {
    it(`${what} is told in one sentence with the path and what to do, by the start and by doctor`, async (context) => {
      const dataDir = make()
      if (dataDir === undefined) return context.skip('there is no such path on this machine')
      const env = { DATA_DIR: dataDir }
      const byRights = what.includes('only be read')
      const started = await within('the start to end', run('start', env, byRights))
      assert.equal(started.code, 1)
      assert.match(started.err.trim(), sentence)
      const doctor = await within('doctor to end', run('doctor', env, byRights))
      assert.equal(doctor.code, 1)
      const problems = doctor.out
        .split('\n')
        .flatMap((line) => /^problem +\w+(?: \w+)? {2,}(.*)$/.exec(line)?.[1] ?? [])
      assert.ok(
        problems.some((problem) => sentence.test(problem)),
        doctor.out,
      )
    })
  }

  it('on a full disk is told in one sentence with the path and what to do, wherever in the start it becomes full', async (context) => {
    // A new database takes about 2 MB: the file, its log, the key, and the first rows.
    for (const kib of [4, 8, 64, 512, 1_000, 1_400]) {
      const dataDir = place(`full-${kib}`)
      mkdirSync(dataDir, { mode: 0o700 })
      const disk = mountSmallDisk(dataDir, kib)
      if (disk === undefined) return context.skip('a small disk cannot be made here')
      try {
        const { code, err } = await within('the start to end', refusedStart({ DATA_DIR: dataDir }))
        assert.deepEqual(
          [code, err.trim().replace(/\d+ bytes/, 'N bytes')],
          [
            1,
            `The disk of ${dataDir}/postern.db is full (N bytes free). Make room on it, or set another DATA_DIR.`,
          ],
          `${kib} KiB`,
        )
      } finally {
        disk.remove()
      }
    }
  })

  it('and what Postern has in it are their owner’s alone, whatever rights they had and whatever the umask is', async (context) => {
    if (process.platform === 'win32') return context.skip('there are no such rights')
    const dataDir = place('open-to-all')
    mkdirSync(join(dataDir, 'blobs'), { recursive: true })
    const letter = join(dataDir, 'a letter of somebody else')
    writeFileSync(letter, 'dear aunt')
    chmodSync(letter, 0o644)
    const kept = join(dataDir, 'postern-kept.db')
    /** The paths that others may use, without the letter, whose rights the server leaves. */
    const rightsOfOthers = () =>
      [dataDir, ...readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)))]
        .filter((path) => path !== letter && (statSync(path).mode & 0o077) !== 0)
        .map((path) => path.slice(folder.length))
    for (const times of [1, 2]) {
      for (const name of ['', 'blobs']) chmodSync(join(dataDir, name), 0o755)
      const server = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }, undefined, WITHOUT_UMASK)
      const names = readdirSync(dataDir)
      for (const name of ['postern.db', 'postern.db-wal', 'postern.db-shm', 'secret.key', 'server.lock'])
        assert.ok(names.includes(name), `${name} is not in ${names.join(', ')}`)
      assert.deepEqual(rightsOfOthers(), [], `at start ${times}`)
      assert.ok(!server.out().includes('cannot be made private'))
      if (times === 1) {
        const copied = await runProcess(
          ['backup', '--to', kept],
          { DATA_DIR: dataDir, BACKUP_PASSPHRASE: 'correct horse battery staple' },
          undefined,
          WITHOUT_UMASK,
        )
        assert.equal(copied.code, 0, copied.err)
      }
      await server.end()
      assert.deepEqual(rightsOfOthers(), [], `after the end of start ${times}`)
      // As a copy of all of it would be, made without its rights.
      for (const name of readdirSync(dataDir)) if (name !== 'blobs') chmodSync(join(dataDir, name), 0o666)
    }
    assert.equal(statSync(letter).mode & 0o777, 0o666)
  })

  it('that cannot be made private is told at the start in one sentence', async (context) => {
    if (process.platform === 'win32') return context.skip('there are no such rights')
    const dataDir = place('shared-by-users')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o1777)
    const server = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
    await server.says(
      `Other users of this machine can look into DATA_DIR ${dataDir}, and it cannot be made private (it is a folder that users share): make it a folder of this user alone, or set another DATA_DIR.`,
    )
    await server.end()
    assert.equal(statSync(dataDir).mode & 0o7777, 0o1777)
    for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, name)
  })

  it('with a database that was damaged in its middle is found by doctor', async () => {
    const store = await freshStore('sqlite')
    const server = await startHere(store)
    assert.equal((await server.end()).code, 0)
    const file = join(store.DATA_DIR ?? '', 'postern.db')
    const { size } = statSync(file)
    const descriptor = openSync(file, 'r+')
    for (let at = 8_192; at < size; at += 4_096) writeSync(descriptor, Buffer.alloc(256, 0xa5), 0, 256, at)
    const doctor = await postern({ env: store }, 'doctor')
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, /postern\.db is damaged, or no database\. Put your last backup in its place/)
  })
})
