import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { FILE_FAILURES } from '#src/core/failure-messages.ts'
import { Client } from '../support/browser.ts'
import { startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { startHere } from '../support/start-here.ts'
import { until } from '../support/waits.ts'
import { keeper, PATIENCE, slowBook } from './support.ts'

describe('a file that is read when the process is killed', () => {
  it('is read by the next one, and by no fourth: it ends, and others with it', async () => {
    const first = await startPostern('sqlite')
    const { key: token } = await keeper(first)
    const { PORT: _, SMTP_URL: __, ...env } = first.env
    await first.stop()
    const headers = { 'content-type': 'application/octet-stream' }
    let server = await startProcess(env)
    let url = server.url
    const upload = (bytes: Uint8Array | string, name: string) =>
      new Client(url).post(`/v1/files?name=${name}`, bytes, { token, headers })
    const { id } = (await upload(slowBook(), 'slow.xlsx')).body
    const other = (await upload('a text', 'a.txt')).body.id
    const begun = () => {
      const database = new DatabaseSync(join(env.DATA_DIR ?? '', 'postern.db'), { readOnly: true })
      try {
        const row = database.prepare('select begun from job where payload like ?').get(`%${id}%`)
        return Number(row?.begun)
      } finally {
        database.close()
      }
    }
    for (const starts of [1, 2, 3]) {
      await until(begun, (count) => count === starts, {
        what: `start ${starts} of reading`,
        patience: PATIENCE,
      })
      await server.kill()
      if (starts < 3) server = await startProcess(env)
    }
    const last = await startHere(env)
    url = last.url
    const file = (which: string) => new Client(url).get(`/v1/files/${which}`, { token })
    const ended = async (which: string) =>
      (
        await until(
          () => file(which),
          ({ body }) => body.status !== 'processing',
          { what: `the end of ${which}`, patience: PATIENCE },
        )
      ).body
    const { status, error } = await ended(id)
    assert.deepEqual(
      [status, error],
      [
        'failed',
        {
          ...{ code: 'PROCESSING_FAILED', reason: 'crashed_repeatedly' },
          message: FILE_FAILURES.crashed_repeatedly,
        },
      ],
    )
    assert.equal((await ended(other)).status, 'processed')
    assert.equal((await last.end()).code, 0)
    const again = await startHere(env)
    url = again.url
    const { body } = await file(id)
    assert.deepEqual([body.status, body.error], [status, error], 'after one more start')
    assert.equal((await again.end()).code, 0)
  })
})
