import { findSiblings } from '#src/cluster/siblings.ts'

/** A worker that only answers heartbeats, and holds its event loop without an end when it is sent `SIGUSR2`. */
const never = new Int32Array(new SharedArrayBuffer(4))
process.on('SIGUSR2', () => {
  Atomics.wait(never, 0, 0)
})
findSiblings(2)?.announce({ words: 'is ready', json: {} })
process.channel?.ref()
