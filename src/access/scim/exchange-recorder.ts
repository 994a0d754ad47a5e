import { createBatcher } from '../../core/batcher.ts'
import { type Millis, pause } from '../../core/clock.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeStore } from './exchange-store.ts'

/** Records requests of directories and their answers. */
export interface ExchangeRecorder {
  /** Adds an exchange to a later write. It does not throw or wait. */
  record(exchange: Exchange): void
  /** Resolves when all added exchanges are written. */
  stop(): Promise<void>
}

/** How long an exchange waits for further ones, so that a busy directory costs a few writes a second. */
const GATHERED: Millis = 100
/** The most exchanges of one owner and of all in one write, which takes up to five milliseconds of the processor. */
const [MOST_OF_ONE, MOST] = [50, 200]
/** The most waiting exchanges: of one organization, as many as are kept, and of all organizations. */
const [MOST_WAITING_OF_ONE, MOST_WAITING] = [500, 5_000]
/** The most waiting exchanges with a key whose organization is not known yet: of one key, and of all, because anyone can invent keys. */
const [MOST_WAITING_OF_KEY, MOST_WAITING_OF_KEYS] = [50, 1_000]

interface RecorderDeps {
  store: ExchangeStore
  /** Called with the number of lost exchanges. */
  onDropped: (count: number) => void
  log: { error(data: object, message: string): void }
}

export function createExchangeRecorder({ store, onDropped, log }: RecorderDeps): ExchangeRecorder {
  /** Waiting exchanges by organization and by key. */
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

  /** Each organization may have an equal share of the waiting exchanges, so that none displaces another. */
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
