import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Clock, type Millis, repeat, SECOND } from '../../core/clock.ts'

/** So often an event stream says that it is there, so that nothing in between takes it for dead. */
const HEARTBEAT: Millis = 15 * SECOND
/** What a reader may leave unread; one that leaves more is cut off, and begins again where it was. */
const MOST_UNREAD = 256 * 1024

/** One event of a stream. */
export interface StreamEvent {
  /** Its place, from which a reader can go on; without one it is not repeated. */
  id?: number
  event: string
  data: unknown
}

/** An open event stream (`text/event-stream`). */
export interface EventStream {
  /** @returns false once there is no reader any more */
  send(event: StreamEvent): boolean
  end(): void
  /** Calls `then` when the stream is over, whoever ended it. */
  onOver(then: () => void): void
}

/** Answers a request with an event stream. */
export function openStream(reply: FastifyReply, clock: Clock): EventStream {
  const body = new Readable({ read() {}, highWaterMark: MOST_UNREAD })
  let isOver = false
  const over: (() => void)[] = []
  const stopBeating = repeat(clock, HEARTBEAT, () => write(': here\n\n'))

  function finish(): void {
    if (isOver) return
    isOver = true
    stopBeating()
    for (const then of over.splice(0)) then()
  }

  function write(text: string): boolean {
    if (isOver) return false
    if (body.readableLength + text.length <= MOST_UNREAD) {
      body.push(text)
      return true
    }
    // It does not read: what it has not got waits for it no longer.
    body.destroy()
    reply.raw.destroy()
    finish()
    return false
  }

  // Who has gone is not written to any more.
  body.once('close', finish)
  reply.raw.once('close', finish)
  void reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
  void reply.code(200).send(body)
  return {
    send: ({ id, event, data }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end() {
      if (isOver) return
      body.push(null)
      finish()
    },
    onOver(then) {
      if (isOver) then()
      else over.push(then)
    },
  }
}
