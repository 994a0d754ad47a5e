import { createBatcher } from '../../core/batcher.ts'
import { type Millis, pause } from '../../core/clock.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeStore } from './exchange-store.ts'

/** Records what directories ask and how they are answered. */
export interface ExchangeRecorder {
  /** Has an exchange written down soon. It throws nothing and waits for nothing. */
  record(exchange: Exchange): void
  /** Resolves when all exchanges that were noted are written. */
  stop(): Promise<void>
}

/** How long exchanges wait for more, so that busy directories cost a few writes a second. */
const GATHERED: Millis = 100
/** Of one owner, and of all, in one write: five milliseconds of the processor at most, for which others wait. */
const [MOST_OF_ONE, MOST] = [50, 200]
/** Exchanges of one organization that wait at most, as many as are kept; and of all, while few organizations have that many. */
const [MOST_WAITING_OF_ONE, MOST_WAITING] = [500, 5_000]
/** The same of keys whose organization is looked up first. Anyone can make up keys: the second number holds for all together. */
const [MOST_WAITING_OF_KEY, MOST_WAITING_OF_KEYS] = [50, 1_000]

interface RecorderDeps {
  store: ExchangeStore
  /** Called with how many exchanges are missing in the records. */
  onDropped: (count: number) => void
  log: { error(data: object, message: string): void }
}

export function createExchangeRecorder({ store, onDropped, log }: RecorderDeps): ExchangeRecorder {
  /** How many exchanges wait, by organization and by key. */
  const [ofOrganizations, ofKeys] = [new Map<string, number>(), new Map<string, number>()]
  let allOfKeys = 0
  let isOver = false

  function count(exchange: Exchange, by: 1 | -1): void {
    const isOfKey = 'keyHash' in exchange.owner
    const waiting = isOfKey ? ofKeys : ofOrganizations
    const [name, own] = [nameOf(exchange), (waiting.get(nameOf(exchange)) ?? 0) + by]
    if (own === 0) waiting.delete(name)
    else waiting.set(name, own)
    if (isOfKey) allOfKeys += by
  }

  /** The more organizations have exchanges that wait, the fewer each may have: none takes the place of another one's. */
  function hasPlace(exchange: Exchange): boolean {
    const name = nameOf(exchange)
    if ('keyHash' in exchange.owner)
      return allOfKeys < MOST_WAITING_OF_KEYS && (ofKeys.get(name) ?? 0) < MOST_WAITING_OF_KEY
    const share = Math.ceil(MOST_WAITING / Math.max(1, ofOrganizations.size))
    return (ofOrganizations.get(name) ?? 0) < Math.min(MOST_WAITING_OF_ONE, share)
  }

  const exchanges = createBatcher<Exchange>(
    async (take) => {
      const some = take()
      for (const one of some) count(one, -1)
      try {
        await store.append(some)
      } catch (error) {
        onDropped(some.length)
        log.error({ err: error }, 'requests of directories could not be recorded')
      }
      return undefined
    },
    {
      most: MOST,
      perOwner: { most: MOST_OF_ONE, ownerOf: nameOf },
      pace: () => (isOver ? undefined : pause(GATHERED)),
    },
  )

  return {
    record(exchange) {
      if (!hasPlace(exchange)) return onDropped(1)
      count(exchange, 1)
      void exchanges.add(exchange)
    },
    async stop() {
      isOver = true
      await exchanges.idle()
    },
  }
}

const nameOf = ({ owner }: Exchange): string => ('keyHash' in owner ? owner.keyHash : owner.organizationId)
