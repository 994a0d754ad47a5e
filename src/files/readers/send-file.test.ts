import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { sendFile } from './send-file.ts'

/** More than a pipe buffers. */
const BYTES = Array.from({ length: 10 }, () => Buffer.alloc(64 * 1024, 'a'))
const SIZE = BYTES.length * 64 * 1024
const SHA256 = createHash('sha256').update(Buffer.concat(BYTES)).digest('hex')

/** The outcome of sending a file to a receiver that breaks at a write or at the end. */
function fedTo(breaksAt: number | 'end' | 'never', sha256 = SHA256) {
  let writes = 0
  const input = new Writable({
    write(_chunk, _encoding, done) {
      writes += 1
      done(writes === breaksAt ? new Error('EPIPE') : null)
    },
    final: (done) => done(breaksAt === 'end' ? new Error('EPIPE') : null),
  })
  const source = {
    sizeBytes: SIZE,
    sha256,
    async *open() {
      yield* BYTES
    },
  }
  const assignment = { name: 'a', mediaType: 'text/plain', charset: null, sizeBytes: SIZE }
  return sendFile(input, source, assignment, new AbortController().signal)
}

describe('the bytes on their way to a reader', () => {
  it('are whole once the last of them is given, however the pipe ends', async () => {
    assert.equal(await fedTo('never'), 'whole')
    assert.equal(await fedTo('end'), 'whole')
    assert.equal(await fedTo('end', '0'.repeat(64)), 'altered')
  })

  it('are cut short where it breaks before that', async () => {
    assert.equal(await fedTo(1), 'cut_short')
    assert.equal(await fedTo(2), 'cut_short')
  })
})
