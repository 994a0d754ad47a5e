import type { Socket } from 'node:net'

/** The start of an interim response: `HTTP/1.0 1…` or `HTTP/1.1 1…`. */
const INTERIM = [Buffer.from('HTTP/1.1 1'), Buffer.from('HTTP/1.0 1')]
const STATUS_AT = 'HTTP/1.1 '.length
const ONE = '1'.charCodeAt(0)
/** Passed on, because it ends HTTP on the connection; undici refuses it where it was not requested. */
const SWITCHING_PROTOCOLS = '101'
const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** Longest interim response that is buffered, 16 KiB; undici refuses more as an invalid answer. */
const LONGEST_HEAD = 16 * 1024

/**
 * Drops the interim responses (1xx) before the answer to a request: a client must accept any number of them (RFC 9110
 * 15.2), but undici ends the connection at a 100. The request's deadline bounds their number.
 * @param socket a connection without pipelining, before its first request is written
 */
export function dropInterimResponses(socket: Socket): void {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket)
  let isAwaiting = false
  let held: Buffer | undefined

  socket.write = ((...args: Parameters<Socket['write']>) => {
    isAwaiting = true
    return write(...args)
  }) as Socket['write']
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size)
      if (chunk === null || !isAwaiting) return chunk
      const rest = afterInterim(held === undefined ? chunk : Buffer.concat([held, chunk]))
      isAwaiting = rest.isAnswer !== true
      if (rest.isAnswer) {
        held = undefined
        return rest.bytes
      }
      held = rest.bytes.length > 0 ? rest.bytes : undefined
    }
  }
}

/** @returns the bytes after complete interim responses, and whether they are known to start the answer */
function afterInterim(bytes: Buffer): { bytes: Buffer; isAnswer: boolean } {
  let rest = bytes
  // Most answers are final, which one byte shows.
  if (rest.length > STATUS_AT && rest[STATUS_AT] !== ONE) return { bytes, isAnswer: true }
  while (INTERIM.some((head) => startsAlike(rest, head))) {
    const end = rest.indexOf(END_OF_HEAD)
    if (end < 0) return { bytes: rest, isAnswer: rest.length > LONGEST_HEAD }
    if (rest.toString('latin1', STATUS_AT, STATUS_AT + 3) === SWITCHING_PROTOCOLS) break
    rest = rest.subarray(end + END_OF_HEAD.length)
  }
  return { bytes: rest, isAnswer: true }
}

/** Whether the bytes begin with the head, or are a prefix of it. */
function startsAlike(bytes: Buffer, head: Buffer): boolean {
  const length = Math.min(bytes.length, head.length)
  return bytes.compare(head, 0, length, 0, length) === 0
}
