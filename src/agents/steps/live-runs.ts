import type { Id } from '../../core/id.ts'

/** Why a run is let go of: it was ended elsewhere, its time is over, or the process ends. */
export type Interruption = 'ended' | 'deadline' | 'drain'

/** What a model has said so far in one try of a step. */
export interface Saying {
  /** The place of the step, and which try of it this is: a later one is greater. */
  seq: number
  tries: number
  /** The beginning of the claim that makes the try. */
  claim: string
  /** The character of all that was said that `text` begins with. */
  base: number
  text: string
  /** The piece that was added last. */
  last: string
}

/** A run that this process is stepping. */
export interface LiveRun {
  organizationId: Id<'organization'>
  /** By which this process has it. */
  claim: string | null
  /** Aborts the step under way. */
  interrupt(why: Interruption): void
  /** What the model says in the step under way; undefined where no model is asked. */
  saying(): Saying | undefined
}

/** The runs that this process is stepping. */
export interface LiveRuns {
  get(id: Id<'run'>): LiveRun | undefined
  ids(): Id<'run'>[]
  add(id: Id<'run'>, run: LiveRun): void
  remove(id: Id<'run'>, run: LiveRun): void
  /** The process ends: each gives itself back. */
  drain(): void
}

export function createLiveRuns(): LiveRuns {
  const runs = new Map<Id<'run'>, LiveRun>()
  let isDraining = false
  return {
    get: (id) => runs.get(id),
    ids: () => [...runs.keys()],
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
