import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { FILE_FAILURES } from '#src/core/failure-messages.ts'
import { assertError } from '../support/attacks.ts'
import { startPostern } from '../support/postern.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/waits.ts'
import { bytesLeft, keeper, PATIENCE } from './support.ts'

const KIB = 1024

it('where the disk for files is full nothing is half kept, and all goes on when there is room', async (context) => {
  const postern = await startPostern('sqlite')
  const { upload, get, key } = await keeper(postern)
  const folder = join(postern.env.DATA_DIR ?? '', 'blobs')
  mkdirSync(folder, { recursive: true })
  const disk = mountSmallDisk(folder, 1_024)
  if (disk === undefined) {
    await postern.stop()
    return context.skip('a small disk cannot be made here')
  }
  try {
    const wait = { headers: { prefer: 'wait=30' } }
    const refused = await upload('a line of a text\n'.repeat(128 * KIB), 'large.txt')
    assertError(refused, 'PROCESSING_FAILED', { reason: 'disk_full' })
    assert.deepEqual((await get('/v1/files')).body.data, [])
    await until(
      () => bytesLeft(postern),
      ({ pending, orphaned, files }) => pending + orphaned + files === 0,
      { what: 'what did not fit to be gone', patience: PATIENCE },
    )
    // There is room for the bytes, and none for their text.
    const { status, body, text } = await upload('a line of a text\n'.repeat(40 * KIB), 'half.txt', wait)
    assert.equal(status, 201, text)
    assert.deepEqual(
      [body.status, body.error],
      ['failed', { code: 'PROCESSING_FAILED', reason: 'not_stored', message: FILE_FAILURES.not_stored }],
    )
    await until(
      () => bytesLeft(postern),
      ({ pending, orphaned, parts, kept, files }) => pending + orphaned + parts === 0 && kept === files,
      { what: 'what did not fit of the text to be gone', patience: PATIENCE },
    )
    disk.resize(8 * KIB)
    const again = await postern.client().post(`/v1/files/${body.id}/process`, {}, { token: key, ...wait })
    assert.deepEqual([again.status, again.body.status], [200, 'processed'], again.text)
  } finally {
    disk.remove()
    await postern.stop()
  }
})
