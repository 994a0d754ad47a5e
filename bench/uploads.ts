import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, stopwatch } from '#src/core/clock.ts'
import { createReaders } from '#src/files/readers/read-text.ts'
import { read } from '../test/support/reading.ts'
import { ms, type Spread, spreadOf } from './figures.ts'
import type { Options } from './options.ts'
import { publisher } from './publisher.ts'
import type { Row } from './table.ts'

const BYTES = 100_000
const UPLOADS = 100
/** The first uploads compile the code and start the reader. */
const WARM_UP = 10
const PAUSE_MS = 150
const PATIENCE_MS = 30_000
const GOAL_P95 = 60

/** From the moment at which a text is sent to the one at which a receiver hears that it has been read. */
export async function benchUploads({ engine, progress }: Pick<Options, 'engine' | 'progress'>): Promise<Row> {
  const heard = new Map<string, () => void>()
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      heard.get(JSON.parse(Buffer.concat(chunks).toString()).data.name)?.()
    })
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const ours = await publisher(engine)
  const { port } = receiver.address() as AddressInfo
  await ours.webhook(`http://127.0.0.1:${port}/`, { events: ['file.processed'] })
  progress('texts are uploaded, one after the other')
  const signal = AbortSignal.timeout(UPLOADS * PATIENCE_MS)
  const took: number[] = []
  for (let index = 0; index < WARM_UP + UPLOADS; index += 1) {
    const name = `${index}.txt`
    const { promise, resolve } = Promise.withResolvers<void>()
    heard.set(name, resolve)
    const elapsed = stopwatch()
    await Promise.all([ours.upload(name, textOf(index), signal), promise])
    if (index >= WARM_UP) took.push(elapsed())
    await pause(PAUSE_MS)
  }
  await ours.stop()
  receiver.closeAllConnections()
  receiver.close()
  progress('the same texts on the disk, read and not sent')
  const raw = await bare()
  const { p50, p95 } = spreadOf(took)
  return {
    name: `a text of ${BYTES / 1_000} KB, from its upload to \`file.processed\` at the receiver`,
    measured: `p50 ${ms(p50)}, p95 ${ms(p95)}`,
    raw: `p50 ${ms(raw.p50)}, p95 ${ms(raw.p95)} to flush it, read it in a process, flush its text, and call once`,
    goal: `p95 ≤ ${GOAL_P95} ms`,
    isMet: p95 <= GOAL_P95,
  }
}

const textOf = (index: number) =>
  Buffer.from(`${index} A line of a text, as there are many.\n`.repeat(3_000).slice(0, BYTES))

/** The raw limit: a digest, two flushed files, the reader and one HTTP call for each text. */
async function bare(): Promise<Spread> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const readers = createReaders()
  const echo = createServer((request, response) => void request.resume().on('end', () => response.end()))
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  const { port } = echo.address() as AddressInfo
  const took: number[] = []
  for (let index = 0; index < WARM_UP + UPLOADS / 2; index += 1) {
    const bytes = textOf(index)
    const elapsed = stopwatch()
    createHash('sha256').update(bytes).digest()
    flushed(join(folder, `${index}`), bytes)
    await read(readers, bytes, 'a.txt')
    flushed(join(folder, `${index}.text`), bytes)
    await called(port)
    if (index >= WARM_UP) took.push(elapsed())
    await pause(PAUSE_MS)
  }
  await readers.close()
  echo.close()
  rmSync(folder, { recursive: true })
  return spreadOf(took)
}

function flushed(path: string, bytes: Buffer): void {
  const descriptor = openSync(path, 'w')
  writeSync(descriptor, bytes)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

async function called(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.end('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  for await (const _ of socket);
}
