import { onBehalfOf, onBehalfOfAll } from '../../core/behalf/behalf.ts'
import { type Clock, type Millis, sleep } from '../../core/clock.ts'
import { awaitCompany, CROWD, type Rest } from '../../core/company.ts'
import { STORE_RETRY } from '../job.ts'
import type { Learnt } from '../turns/lanes.ts'

/** A result that waits for its commit. */
export interface Unsettled<S> {
  /** The worker under whose claim it came to be. */
  workerId: string
  settlement: S
  learnt: Learnt
}

interface SettlingDeps<S> {
  clock: Clock
  store: { settle(workerId: string, settlements: S[], now: Millis): Promise<void> }
  log: { error(data: object, message: string): void }
  /** Is told of results that have been committed. */
  onSettled: (settled: Unsettled<S>[]) => void
  /** Whether a commit is worth a wait for company: where it costs a journey. */
  isFar: boolean
  /** On whose behalf a result is written: apart from those of others, who do not wait for what it waits for. All together unless given. */
  behalfOf?: ((settlement: S) => string) | undefined
  /** How many wait for more. */
  rest?: Rest | undefined
}

/** Writes results, those that arrive while a commit is under way on their behalf together in the next one. */
export interface Settling<S> {
  /** Resolves when the result has been committed. */
  settle(result: Unsettled<S>): Promise<void>
  /** Gives up waiting for a store that keeps failing; its jobs are done again after the next start. */
  abandon(): void
}

/** As much of a settlement as matters here. */
interface Timed {
  dueAt: Millis | null
}

/** A result, and what the clock said when its wait was decided on. */
interface Dated<S> extends Unsettled<S> {
  at: Millis
}

/** Results of one commit. */
interface Batch<S> {
  results: Dated<S>[]
  committed: PromiseWithResolvers<void>
}

/** What is to be written on one behalf. */
interface Line<S> {
  /** Takes in what arrives while a commit is under way. */
  gathering?: Batch<S> | undefined
  isWriting: boolean
}

export function createSettling<S extends Timed>(deps: SettlingDeps<S>): Settling<S> {
  const { clock, store, log, onSettled, isFar, behalfOf, rest } = deps
  const lines = new Map<string | undefined, Line<S>>()
  const abandoned = new AbortController()

  function begin(name: string | undefined, line: Line<S>): void {
    if (line.isWriting) return
    const { gathering: batch } = line
    if (batch === undefined) return void lines.delete(name)
    line.isWriting = true
    void onBehalfOf(name, () => writeWithCompany(line, batch)).finally(() => {
      line.isWriting = false
      batch.committed.resolve()
      begin(name, line)
    })
  }

  async function writeWithCompany(line: Line<S>, batch: Batch<S>): Promise<void> {
    if (isFar && batch.results.length >= CROWD) await awaitCompany(() => batch.results.length, rest)
    line.gathering = undefined
    await write(batch)
  }

  async function write({ results }: Batch<S>): Promise<void> {
    for (;;) {
      for (const result of results) keepWait(result, clock.now())
      try {
        for (const [workerId, own] of Map.groupBy(results, (result) => result.workerId)) {
          await store.settle(
            workerId,
            own.map(({ settlement }) => settlement),
            clock.now(),
          )
        }
        return onBehalfOfAll(() => onSettled(results))
      } catch (error) {
        // Our fault, nobody else's: nothing is attempted again for it.
        log.error({ err: error }, 'results could not be settled')
        if (abandoned.signal.aborted) return
        await sleep(clock, STORE_RETRY, abandoned.signal)
      }
    }
  }

  return {
    settle(result) {
      const name = behalfOf?.(result.settlement)
      const line = lines.get(name) ?? { isWriting: false }
      lines.set(name, line)
      line.gathering ??= { results: [], committed: Promise.withResolvers() }
      line.gathering.results.push({ ...result, at: clock.now() })
      const { promise } = line.gathering.committed
      begin(name, line)
      return promise
    },
    abandon: () => abandoned.abort(),
  }
}

/**
 * A wait that was decided on before the clock was set back is as long as it was meant: its moment would be of a clock that was
 * wrong, in a row that was written when it was right.
 */
function keepWait(result: Dated<Timed>, now: Millis): void {
  const { settlement, at } = result
  if (settlement.dueAt !== null && now < at) settlement.dueAt -= at - now
  result.at = now
}
