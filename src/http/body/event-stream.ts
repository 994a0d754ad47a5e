import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Clock, type Millis, repeat, SECOND } from '../../core/clock.ts'

/** The interval of heartbeats, so that no proxy closes an idle stream. */
const HEARTBEAT: Millis = 15 * SECOND
/** Unread bytes above which events that can wait are not sent. */
const ROOM = 64 * 1024
/** Unread bytes above which a reader is disconnected; it reconnects and continues at its last event. */
const MOST_UNREAD = 256 * 1024

/** One event of a stream. */
export interface StreamEvent {
  /** The position from which a reader can continue; an event without one is not repeated. */
  id?: number
  event: string
  data: unknown
}

/** An open event stream (`text/event-stream`). */
export interface EventStream {
  /**
   * Sends without waiting for room; disconnects a reader with more than 256 KiB unread.
   * @returns false once the stream has ended
   */
  send(event: StreamEvent): boolean
  /**
   * Sends events that can wait, if the reader has read most of the earlier ones. A buffer from `frame` is encoded once
   * for all readers.
   * @returns whether it was sent
   */
  sendIfRoom(events: StreamEvent | Buffer): boolean
  /** Whether the reader has read most of what was sent; otherwise `onRoom` reports when it has. */
  hasRoom(): boolean
  end(): void
  /** Calls `then` each time the stream has room again. */
  onRoom(then: () => void): void
  /** Calls `then` when the client or the server ends the stream. */
  onOver(then: () => void): void
}

/**
 * Answers a request with an event stream. A reader that reads nothing between two heartbeats is disconnected at the
 * next one.
 * @param placeOf returns the reader's position for each heartbeat, where the reader is not sent every event
 */
export function openStream(
  reply: FastifyReply,
  clock: Clock,
  placeOf: () => number | undefined = () => undefined,
): EventStream {
  let [isOver, isAwaited, isStuck] = [false, false, false]
  let reportRoom = () => {}
  const over: (() => void)[] = []
  const stopBeating = repeat(clock, HEARTBEAT, beat)
  const body = new Readable({
    highWaterMark: ROOM,
    /** Called by the stream when its buffer has room. */
    read() {
      isStuck = false
      if (!isAwaited) return
      isAwaited = false
      // The bytes leave the buffer after this call.
      queueMicrotask(reportRoom)
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

  /** Disconnects a reader that does not read, and drops the buffered bytes. */
  function cut(): void {
    body.destroy()
    reply.raw.destroy()
    finish()
  }

  function write(text: string | Buffer): boolean {
    if (!isOver) body.push(text)
    return !isOver
  }

  // Nothing may be written to a closed connection.
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
      reportRoom = then
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

/** An event in wire format. @param data as JSON */
export function frame(event: string, data: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}
