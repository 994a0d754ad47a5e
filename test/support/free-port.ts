import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems hand out by themselves: between the look and the use, no connection takes one. */
const [LOWEST, HIGHEST] = [12_000, 32_000]
const BLOCK = 100
const MOST_TRIES = 1_000
const NONE = `no port between ${LOWEST} and ${HIGHEST} is free, after ${MOST_TRIES} tries`

/** The ports of this process's blocks that it has not given out. */
const left: number[] = []
let taking: Promise<void> | undefined

/**
 * A free port of this machine. Each process of tests gives out ports of blocks of its own, each port once: two servers that
 * start at the same time get different ones, and a server that is stopped can start again on its own.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const port = left.pop()
    if (port === undefined) await ownBlock()
    else if (await isFree(port)) return port
  }
  throw new Error(NONE)
}

function ownBlock(): Promise<void> {
  taking ??= takeBlock().finally(() => {
    taking = undefined
  })
  return taking
}

/** Takes a block of ports. The process owns it as long as it listens on the first, which ends with the process. */
async function takeBlock(): Promise<void> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const first = LOWEST + BLOCK * randomInt((HIGHEST - LOWEST) / BLOCK)
    if (!(await own(first))) continue
    for (let port = first + BLOCK - 1; port > first; port -= 1) left.push(port)
    return
  }
  throw new Error(NONE)
}

function own(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const guard = createServer((socket) => socket.destroy()).unref()
    guard.once('error', () => resolve(false))
    guard.listen(port, '127.0.0.1', () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
