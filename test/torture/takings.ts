import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

/** A delivery that the receiver has taken in. */
export interface Take {
  webhook: string
  deliveryId: string
  eventId: string
  /** The interval between two interruptions in which it was sent. */
  life: number
}

/** An order to the receiver: a life of the server begins, and the receiver opens or closes its port if `isOpen` is given. */
export interface Order {
  life: number
  isOpen?: boolean
}

export type Report = { takes: Take[] } | { obeyed: number }

/** All that one webhook's destination has taken in. */
export interface Taken {
  events: Set<string>
  /** In which lives each delivery came: more than one is a duplicate. */
  deliveries: Map<string, number[]>
}

/** The receiver, as the run sees it. */
export interface Takings {
  url: string
  of(webhook: string): Taken
  /** How many it has taken in all. */
  count(): number
  /** Begins another life. Everything sent before counts to an earlier one. */
  nextLife(isOpen?: boolean): Promise<void>
  stop(): Promise<void>
}

/** @param mostRefusals how often at most the failing destination refuses one delivery */
export async function startTakings(seed: number, mostRefusals: number): Promise<Takings> {
  const port = await freePort()
  const file = fileURLToPath(new URL('./receiver.ts', import.meta.url))
  const child = fork(file, [port, seed, mostRefusals].map(String))
  const taken = new Map<string, Taken>()
  const waiting = new Map<number, () => void>()
  let count = 0
  let life = 0

  function of(webhook: string): Taken {
    const known = taken.get(webhook) ?? { events: new Set(), deliveries: new Map() }
    taken.set(webhook, known)
    return known
  }

  function obeyed(of: number): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.set(of, resolve)
      child.once('exit', () => reject(new Error('the receiver ended')))
    })
  }

  child.setMaxListeners(0)
  child.on('message', (report: Report) => {
    if ('obeyed' in report) return waiting.get(report.obeyed)?.()
    for (const { webhook, deliveryId, eventId, life } of report.takes) {
      const { events, deliveries } = of(webhook)
      events.add(eventId)
      deliveries.set(deliveryId, [...(deliveries.get(deliveryId) ?? []), life])
      count += 1
    }
  })
  await obeyed(0)
  return {
    url: `http://127.0.0.1:${port}`,
    of,
    count: () => count,
    nextLife(isOpen) {
      life += 1
      const done = obeyed(life)
      child.send({ life, ...(isOpen === undefined ? {} : { isOpen }) } satisfies Order)
      return done
    },
    async stop() {
      if (child.exitCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await gone
    },
  }
}
