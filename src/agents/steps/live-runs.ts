import type { Id } from '../../core/id.ts'

/** Why a process stops stepping a run: its job was aborted, its deadline has passed, or the process stops. */
export type Interruption = 'ended' | 'deadline' | 'drain'

/** The text of a model so far in one try of a step. */
export interface StreamedText {
  /** The position of the step, and the number of the try; later tries have greater numbers. */
  seq: number
  tries: number
  /** The beginning of the try's claim. */
  claim: string
  /** The position of the first character of `text` in the whole output. */
  base: number
  text: string
  /** The piece that was added last. */
  last: string
}

/** A run that this process is stepping. */
export interface LiveRun {
  organizationId: Id<'organization'>
  /** Aborts the step under way. */
  interrupt(why: Interruption): void
  /** The text of the current step; undefined where no model is called. */
  streamedText(): StreamedText | undefined
}

/** The runs that this process is stepping. */
export interface LiveRuns {
  get(id: Id<'run'>): LiveRun | undefined
  add(id: Id<'run'>, run: LiveRun): void
  remove(id: Id<'run'>, run: LiveRun): void
  /** Interrupts all runs, because the process stops: each returns to the queue. */
  drain(): void
}

export function createLiveRuns(): LiveRuns {
  const runs = new Map<Id<'run'>, LiveRun>()
  let isDraining = false
  return {
    get: (id) => runs.get(id),
    add(id, run) {
      runs.set(id, run)
      if (isDraining) run.interrupt('drain')
    },
    remove(id, run) {
      if (runs.get(id) === run) runs.delete(id)
    },
    drain() {
      isDraining = true
      for (const run of runs.values()) run.interrupt('drain')
    },
  }
}
