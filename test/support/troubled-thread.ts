import { readFileSync, rmSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'
import { repeat, systemClock } from '#src/core/clock.ts'

/**
 * Loaded before the program (`NODE_OPTIONS=--import=…`): the thread that sends throws an error, or stands still, when the file
 * that THREAD_TROUBLE names has the word `throw` or `stand still`. The file is removed, so the next thread runs.
 */
const file = process.env.THREAD_TROUBLE ?? ''

function look(): void {
  let word: string
  try {
    word = readFileSync(file, 'utf8')
  } catch {
    return
  }
  rmSync(file)
  if (word === 'throw') throw new Error('thrown for a test')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

if (!isMainThread && Array.isArray((workerData as { allowedNetworks?: string[] })?.allowedNetworks))
  repeat(systemClock, 10, look)
