import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { createOpenSockets } from './open-sockets.ts'

/** An owner with many connections, and others. */
function stand() {
  const closed: string[] = []
  const sockets = new Map<string, Socket>()
  const open = createOpenSockets<string>((line, key) => {
    closed.push(`${line} ${key}`)
    sockets.get(line)?.emit('close')
  })
  let made = 0
  return {
    closed,
    open,
    /** Opens a connection as the agent does, and leaves it idle. */
    idle(owner: string): string {
      const line = busy(owner)
      open.rest(line, owner, 'origin')
      return line
    },
    busy,
  }

  function busy(owner: string): string {
    made += 1
    const line = `${owner}-${made}`
    const socket = new EventEmitter() as Socket
    sockets.set(line, socket)
    open.makeRoom(owner)
    open.add(owner, socket)
    return line
  }
}

it('all owners together have 2,048 open connections before the longest idle one is closed for a new one', () => {
  const { closed, idle } = stand()
  for (let made = 0; made < 2_048; made += 1) idle(`owner ${made % 100}`)
  assert.deepEqual(closed, [])
  // The longest idle connection is closed, whichever owner it has.
  idle('new')
  assert.deepEqual(closed, ['owner 0-1 origin'])
  idle('new')
  assert.deepEqual(closed, ['owner 0-1 origin', 'owner 1-2 origin'])
})

it('an owner with 512 connections loses its own longest idle one for a new one, and no other owner does', () => {
  const { closed, idle } = stand()
  idle('other')
  for (let made = 0; made < 512; made += 1) idle('many')
  assert.deepEqual(closed, [])
  idle('many')
  assert.deepEqual(closed, ['many-2 origin'])
})

it('a connection that is in use is not closed for a new one', () => {
  const { closed, idle, busy, open } = stand()
  for (let made = 0; made < 2_047; made += 1) busy(`owner ${made % 100}`)
  const line = idle('idle')
  open.use(line)
  busy('new')
  assert.deepEqual(closed, [])
})
