import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Clock, type Millis, repeat, SECOND } from '../../core/clock.ts'

/** So often an event stream says that it is there, so that nothing in between takes it for dead. */
const HEARTBEAT: Millis = 15 * SECOND
/** Beyond so many bytes that a reader has not taken there is no room for what can wait. */
const ROOM = 64 * 1024
/** What a reader may leave untaken; one that leaves more is cut off, and begins again where it was. */
const MOST_UNREAD = 256 * 1024

/** One event of a stream. */
export interface StreamEvent {
  /** Its place, after which a reader can continue; without one it is not repeated. */
  id?: number
  event: string
  data: unknown
}

/** An open event stream (`text/event-stream`). */
export interface EventStream {
  /**
   * Sends without waiting for room; a reader that leaves too much unread is disconnected.
   * @returns false once there is no reader any more
   */
  send(event: StreamEvent): boolean
  /**
   * Sends what can wait, if the reader has taken most of what was sent before: an event, or some that `frame` has written,
   * for all readers at once. @returns whether it did
   */
  sendIfRoom(events: StreamEvent | Buffer): boolean
  /** Whether the reader has taken most of what was sent; where it has not, `onRoom` tells when it has. */
  hasRoom(): boolean
  end(): void
  /** Calls `then` whenever there is room again for what had to wait. */
  onRoom(then: () => void): void
  /** Calls `then` when the stream is over, by the client or by the server. */
  onOver(then: () => void): void
}

/**
 * Answers a request with an event stream. A reader that takes nothing from one heartbeat to the next but one is cut off.
 * @param placeOf says with each heartbeat how far the reader has come, where not all that happens is sent to it
 */
export function openStream(
  reply: FastifyReply,
  clock: Clock,
  placeOf: () => number | undefined = () => undefined,
): EventStream {
  let [isOver, isAwaited, isStuck] = [false, false, false]
  let tellRoom = () => {}
  const over: (() => void)[] = []
  const stopBeating = repeat(clock, HEARTBEAT, beat)
  const body = new Readable({
    highWaterMark: ROOM,
    /** The reader has taken what there was. */
    read() {
      isStuck = false
      if (!isAwaited) return
      isAwaited = false
      // It is taken out of the body after this.
      queueMicrotask(tellRoom)
    },
  })

  function beat(): void {
    const place = placeOf()
    if (body.readableLength < ROOM)
      return void write(place === undefined ? ': here\n\n' : `: here\nid: ${place}\n\n`)
    if (isStuck) cut()
    isStuck = true
  }

  function hasRoom(): boolean {
    isAwaited = body.readableLength >= ROOM
    return !isAwaited
  }

  function finish(): void {
    if (isOver) return
    isOver = true
    stopBeating()
    for (const then of over.splice(0)) then()
  }

  /** It does not read: what it has not got waits for it no longer. */
  function cut(): void {
    body.destroy()
    reply.raw.destroy()
    finish()
  }

  function write(text: string | Buffer): boolean {
    if (!isOver) body.push(text)
    return !isOver
  }

  // Nothing is written to a client that has disconnected.
  body.once('close', finish)
  reply.raw.once('close', finish)
  void reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
  void reply.code(200).send(body)
  return {
    send(event) {
      const text = toText(event)
      if (!isOver && body.readableLength + text.length > MOST_UNREAD) cut()
      return write(text)
    },
    sendIfRoom(events) {
      return hasRoom() && write('event' in events ? toText(events) : events)
    },
    hasRoom,
    end() {
      if (isOver) return
      body.push(null)
      finish()
    },
    onRoom(then) {
      tellRoom = then
    },
    onOver(then) {
      if (isOver) then()
      else over.push(then)
    },
  }
}

function toText({ id, event, data }: StreamEvent): string {
  return frame(event, JSON.stringify(data), id)
}

/** An event as it travels. @param data as JSON */
export function frame(event: string, data: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}
