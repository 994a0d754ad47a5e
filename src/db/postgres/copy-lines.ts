import type { Socket } from 'node:net'
import type pg from 'pg'

/** Bytes of a piece; a longer line is a piece of its own. */
const PIECE = 256 * 1024
/** Queued pieces before the socket is paused. */
const MOST_WAITING = 4

/** The driver's connection, as it is passed to a custom query. */
interface DriverConnection {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/**
 * Reads `copy … to stdout` as lines of text, with backpressure.
 * @param onLine called with each line; its bytes are only valid during the call
 * @returns pieces of complete lines
 */
export async function* copyLines(
  client: pg.Client,
  text: string,
  onLine: (line: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = []
  let piece: Buffer = Buffer.alloc(0)
  let size = 0
  let failure: Error | undefined
  let isOver = false
  let connection: DriverConnection | undefined
  let wake = () => {}

  function flush(): void {
    if (size > 0) waiting.push(piece.subarray(0, size))
    piece = Buffer.alloc(0)
    size = 0
    if (waiting.length >= MOST_WAITING) connection?.stream.pause()
    wake()
  }

  client.query({
    callback: undefined,
    submit(sent: DriverConnection) {
      connection = sent
      sent.query(text)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      onLine(chunk)
      if (size + chunk.length > piece.length) {
        flush()
        piece = Buffer.allocUnsafeSlow(Math.max(PIECE, chunk.length))
      }
      // Copied, because the driver reuses the buffer.
      chunk.copy(piece, size)
      size += chunk.length
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      isOver = true
      flush()
    },
    handleError(error: Error) {
      failure = error
      isOver = true
      wake()
    },
  } as unknown as pg.Submittable)

  try {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) {
        if (waiting.length < MOST_WAITING) connection?.stream.resume()
        yield next
      } else if (failure !== undefined) throw failure
      else if (isOver) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    connection?.stream.resume()
  }
}

/** As `copyLines`, only with the callback. */
export function eachLine(client: pg.Client, text: string, onLine: (line: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      callback: undefined,
      submit: (sent: DriverConnection) => sent.query(text),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => onLine(chunk),
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    } as unknown as pg.Submittable)
  })
}

/**
 * Sends rows to `copy … from stdin`.
 * @param pieces lines of text, which may be cut anywhere
 * @throws the error of `pieces`, or the server's
 */
export function sendLines(client: pg.Client, text: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: unknown
    async function send(connection: DriverConnection): Promise<void> {
      const { stream } = connection
      for await (const piece of pieces) {
        if (failure !== undefined) return
        connection.sendCopyFromChunk(piece)
        if (stream.writableNeedDrain) await drained(stream)
      }
    }
    client.query({
      callback: undefined,
      submit: (connection: DriverConnection) => connection.query(text),
      handleCopyInResponse(connection: DriverConnection) {
        send(connection).then(
          () => connection.endCopyFrom(),
          (error: unknown) => {
            failure ??= error
            connection.sendCopyFail('the rows could not be read')
          },
        )
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
      handleError(error: Error) {
        // An earlier error of `pieces` is kept.
        failure ??= error
        reject(failure)
      },
    } as unknown as pg.Submittable)
  })
}

/** Resolves when a stream drains or closes. */
function drained(stream: Socket): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}
