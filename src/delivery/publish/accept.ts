import { onBehalfOfAll } from '../../core/behalf/behalf.ts'
import type { Millis } from '../../core/clock.ts'
import { awaitCompany, CROWD, type Rest } from '../../core/company.ts'
import type { Database } from '../../db/database.ts'
import { BusyError, UnknownOutcomeError } from '../../db/engine/engine.ts'
import type { Fact, PublishAll, Published, PublishRequest } from './publish.ts'

/**
 * Publishes a fact that nothing else commits with; resolves when it has been committed. Facts that arrive while a
 * commit is under way share the next one, and its statements.
 */
export type Accept = (now: Millis, fact: Fact) => Promise<Published>

interface Waiting extends PublishRequest {
  resolve: (published: Published) => void
  reject: (error: unknown) => void
}

/** Facts of one commit at most. */
const MOST_TOGETHER = 200
/** Commits under way at once, where few come: while one waits for the disk the next is being written. */
const MOST_COMMITS = 2

export function createAccept({
  database,
  publishAll,
  rest,
}: {
  database: Pick<Database, 'brief' | 'shared'>
  publishAll: PublishAll
  /** How a crowd waits for company. */
  rest?: Rest
}): Accept {
  const waiting: Waiting[] = []
  let commits = 0
  /** Whether those who waited last were many: each commit that they share is one less, so they share the next one too. */
  let isCrowded = false
  /** Of these, the ones that wait for their turn and will take what is waiting then. */
  let coming = 0

  function begin(): void {
    const most = isCrowded ? 1 : MOST_COMMITS
    if (waiting.length <= coming * MOST_TOGETHER || commits >= most) return
    commits += 1
    // The writer of the embedded database has a rest of its own.
    isCrowded = database.shared && waiting.length >= CROWD
    void onBehalfOfAll(commitSome).finally(() => {
      commits -= 1
      begin()
    })
  }

  function take(): Waiting[] {
    coming -= 1
    return waiting.splice(0, MOST_TOGETHER)
  }

  async function commitSome(): Promise<void> {
    let batch: Waiting[] | undefined
    let isWritten = false
    coming += 1
    try {
      if (isCrowded) await awaitCompany(() => waiting.length, rest)
      const published = await database.brief(async (tx) => {
        // Taken only now: all that arrived while the transaction was waiting for its turn comes along.
        const taken = take()
        batch = taken
        const all = await publishAll(tx, taken)
        isWritten = true
        return taken.map((one, index) => () => one.resolve(all[index] as Published))
      })
      for (const tell of published) tell()
    } catch (error) {
      batch ??= take()
      // One of them cannot be written: the others must not suffer for it. Where the commit itself failed nobody knows
      // what became of it, and nothing is written twice. Who has waited in vain need not do so again.
      const isOfAll = error instanceof UnknownOutcomeError || error instanceof BusyError
      if (batch.length > 1 && !isWritten && !isOfAll) await Promise.all(batch.map(publishAlone))
      else for (const one of batch) one.reject(error)
    }
  }

  async function publishAlone(one: Waiting): Promise<void> {
    await database
      .brief((tx) => publishAll(tx, [one]))
      .then(([published]) => one.resolve(published as Published), one.reject)
  }

  return (now, fact) =>
    new Promise((resolve, reject) => {
      waiting.push({ now, fact, resolve, reject })
      begin()
    })
}
