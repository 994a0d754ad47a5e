import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, it } from 'node:test'
import { everySum } from '../support/every-table.ts'
import { fetches } from '../support/fetched.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { freshStore, postern, readyStore } from '../support/postern.ts'
import { startProcess, watch } from '../support/process.ts'
import { until } from '../support/waits.ts'

const VERSION = 'v0.5.18'
const PEOPLE = 20

const folder = mkdtempSync(join(tmpdir(), 'postern-litestream-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Builds the program. @returns its path; undefined where that cannot be done here */
async function findLitestream(): Promise<string | undefined> {
  const args = ['install', `github.com/benbjohnson/litestream/cmd/litestream@${VERSION}`]
  const isBuilt = await fetches('go', args, { env: { GOBIN: folder, GOFLAGS: '-mod=mod' } })
  return isBuilt ? join(folder, 'litestream') : undefined
}

it('a database whose log Litestream ships is restored after a kill with all that was acknowledged before its last copy', {
  skip: !IS_NIGHTLY && 'Litestream is built by Go, at night',
}, async (context) => {
  const litestream = await findLitestream()
  if (litestream === undefined)
    return context.skip('Litestream cannot be built here: that takes Go and its modules')
  const env = await readyStore('sqlite')
  const server = await startProcess(env)
  const file = join(env.DATA_DIR ?? '', 'postern.db')
  const copies = `file://${join(folder, 'copies')}`
  const shipping = watch(
    spawn(litestream, ['replicate', file, copies], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  for (let one = 0; one < PEOPLE; one += 1) {
    const email = `p${one}@acme.test`
    const invited = await postern({ env }, 'invite', '--organization', `Org ${one}`, '--email', email)
    assert.equal(invited.code, 0, invited.err)
  }
  let restored = ''
  await until(
    async () => {
      restored = mkdtempSync(join(folder, 'restored-'))
      try {
        execFileSync(litestream, ['restore', '-o', join(restored, 'postern.db'), copies], { stdio: 'ignore' })
        return invitationsIn(restored)
      } catch {
        // It has made no copy yet.
        return 0
      }
    },
    (count) => count === PEOPLE,
    { what: 'the last acknowledged invitation to be copied' },
  )
  await server.kill()
  shipping.child.kill('SIGKILL')
  await shipping.gone
  copyFileSync(join(env.DATA_DIR ?? '', 'secret.key'), join(restored, 'secret.key'))
  const again = await startProcess({ DATA_DIR: restored })
  assert.equal(await again.end(), 0)
  const moved = await freshStore('sqlite')
  const { code, err } = await postern(
    { env: { DATA_DIR: restored } },
    'move',
    '--to',
    `sqlite:${moved.DATA_DIR}`,
  )
  assert.equal(code, 0, err)
  assert.equal((await everySum(moved)).invitation, (await everySum(env)).invitation)
})

function invitationsIn(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'postern.db'))
  try {
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    return Number(database.prepare('select count(*) as count from invitation').get()?.count)
  } finally {
    database.close()
  }
}
