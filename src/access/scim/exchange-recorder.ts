import { createBatcher } from '../../core/batcher.ts'
import { type Millis, pause } from '../../core/clock.ts'
import { atMost, createShares, FAIR } from '../../core/fair-limiter.ts'
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
  // Each organization may have one waiting exchange in any case.
  const ofOrganizations = createShares<string>(MOST_WAITING, (free, held) =>
    held === 0 ? 1 : Math.min(FAIR(free, held), MOST_WAITING_OF_ONE - held),
  )
  const ofKeys = createShares<string>(MOST_WAITING_OF_KEYS, atMost(MOST_WAITING_OF_KEY))
  const sharesOf = ({ owner }: Exchange) => ('keyHash' in owner ? ofKeys : ofOrganizations)
  let isOver = false

  const exchanges = createBatcher<Exchange>(
    async (take) => {
      const some = take()
      for (const one of some) sharesOf(one).give(nameOf(one))
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
      const [shares, name] = [sharesOf(exchange), nameOf(exchange)]
      if (shares.room(name) <= 0) return onDropped(1)
      shares.take(name)
      void exchanges.add(exchange)
    },
    async stop() {
      isOver = true
      await exchanges.idle()
    },
  }
}

const nameOf = ({ owner }: Exchange): string => ('keyHash' in owner ? owner.keyHash : owner.organizationId)
