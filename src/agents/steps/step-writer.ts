import { onBehalfOfAll } from '../../core/behalf/behalf.ts'
import { awaitCompany, CROWD } from '../../core/company.ts'
import { BusyError } from '../../db/engine/engine.ts'
import type { Step } from '../transcript/rows.ts'
import {
  type BatchDeps,
  type Beginning,
  type Succeeding,
  type Write,
  type Written,
  writeBatch,
} from './step-batch.ts'
import type { StepDeps } from './step-deps.ts'

/** Runs of one transaction at most. */
const MOST = 50

/** Writes what the runs of this process do next, those that come while a commit is under way together in the next one. */
export interface StepWriter {
  /** Begins a step, with credits set aside for it. @returns it as it is written @throws LostRunError; ApiError INSUFFICIENT_CREDITS */
  begin(beginning: Omit<Beginning, 'kind'>): Promise<Step>
  /** Ends a run of no conversation. @throws LostRunError */
  succeed(succeeding: Omit<Succeeding, 'kind'>): Promise<void>
}

interface Waiting {
  write: Write
  written: PromiseWithResolvers<Step | undefined>
}

export function createStepWriter(deps: BatchDeps & Pick<StepDeps, 'clock' | 'database'>): StepWriter {
  const { clock, database, signals } = deps
  const waiting: Waiting[] = []
  let isWriting = false

  function begin(): void {
    if (isWriting || waiting.length === 0) return
    isWriting = true
    void onBehalfOfAll(writeNext).finally(() => {
      isWriting = false
      begin()
    })
  }

  async function writeNext(): Promise<void> {
    // Where a commit is a journey, a crowd waits a moment for more; whoever is alone waits for nothing.
    if (database.shared && waiting.length >= CROWD) await awaitCompany(() => waiting.length)
    await writeAll(waiting.splice(0, MOST))
  }

  async function writeAll(some: Waiting[]): Promise<void> {
    try {
      const now = clock.now()
      const writes = some.map(({ write }) => write)
      const results = await database.tx((tx) => writeBatch(tx, deps, writes, now))
      for (const [index, one] of some.entries()) settle(one, results[index] ?? {})
    } catch (error) {
      // One that cannot be written must not keep the others from it. What has been written after all is refused the second time.
      // Who has waited for the database in vain need not do so again, one after the other.
      if (some.length > 1 && !(error instanceof BusyError)) for (const one of some) await writeAll([one])
      else for (const { written } of some) written.reject(error)
    }
  }

  function settle({ write: { attempt }, written }: Waiting, result: Written): void {
    if ('error' in result) {
      written.reject(result.error)
      return
    }
    attempt.hasWritten()
    written.resolve(result.step)
    signals.changed(attempt.run.id)
  }

  function write(what: Write): Promise<Step | undefined> {
    const written = Promise.withResolvers<Step | undefined>()
    waiting.push({ write: what, written })
    begin()
    return written.promise
  }

  return {
    begin: async (beginning) => (await write({ kind: 'begin', ...beginning })) ?? beginning.step,
    async succeed(succeeding) {
      await write({ kind: 'succeed', ...succeeding })
    },
  }
}
