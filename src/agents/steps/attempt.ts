import type { Clock, Millis } from '../../core/clock.ts'
import { SECOND } from '../../core/clock.ts'
import type { Definition } from '../definitions/definition.ts'
import type { Tool } from '../tools/tool.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Said } from '../transcript/transcript.ts'
import type { Interruption, LiveRun, LiveRuns, Saying } from './live-runs.ts'
import type { RunSignals } from './run-signals.ts'

/** What a step has come to, and what that costs: a debt until it is written. */
export interface Owed {
  /** As it was begun. */
  step: Step
  ended: Pick<Step, 'status'> & Partial<Step>
  cost: number
  at: Millis
}

/** A process's turn at a run. */
export interface Attempt {
  /** As it was taken up: its claim, and its deadline. */
  run: Run
  /** Aborts what is under way. */
  signal: AbortSignal
  /** Why it did; undefined while it goes on. */
  interruption(): Interruption | undefined
  /** Tells of what the model says. */
  say(text: string): void
  /** Something else begins. */
  begin(kind: 'model' | 'tool'): void
  /** A model is asked: what it says from here on belongs to this step. */
  ask(step: Pick<Step, 'seq' | 'tries'>): void
  /** What steps have come to, where that is not written yet: it is, in the commit of what comes next. */
  owed: readonly Owed[]
  /** A step has ended. */
  owe(debt: Owed): void
  /** Deaths of processes during calls of tools whose outcome is therefore unknown. */
  deaths: number
  /** A commit has written these debts; what was said belonged to them. */
  hasWritten(written: readonly Owed[]): void
}

/** Everything that a turn at a run uses. */
export interface Bench {
  attempt: Attempt
  definition: Definition
  tools: Tool[]
  said: Omit<Said, 'steps'>
  /** Those of the run in their order, what is owed included: only the process that has its claim makes any. */
  steps: Step[]
}

/** What became of a process's turn at a run. */
export type Turn =
  | 'over'
  | 'given_back'
  /** Nothing is to be done before. */
  | { notBefore: Millis }

/** Calls of tools that are under way when the process ends have so long to end. */
export const DRAIN: Millis = 10 * SECOND

interface Parts {
  clock: Clock
  live: LiveRuns
  signals: Pick<RunSignals, 'said' | 'saidAll'>
}

/**
 * A turn at a run that has been taken up, among those of this process until it is ended.
 * @param advanced called when a step has ended for good, with the deaths that still count
 */
export function beginAttempt(
  { clock, live, signals }: Parts,
  run: Run,
  advanced: (deaths: number) => void = () => {},
): Attempt & { end(): void } {
  const over = new AbortController()
  let why: Interruption | undefined
  let saying: Saying | undefined
  let isCalling = false
  let cancelDrain = () => {}

  function interrupt(reason: Interruption): void {
    // One that has ended is not to be waited for.
    if (why === undefined || reason === 'ended') why = reason
    if (why === 'drain' && isCalling) cancelDrain = clock.after(DRAIN, () => over.abort(why))
    else over.abort(why)
  }

  const handle: LiveRun = { organizationId: run.organization_id, interrupt, saying: () => saying }
  const left = Math.max(0, (run.deadline_at ?? 0) - clock.now())
  const cancelDeadline = clock.after(left, () => interrupt('deadline'))
  const attempt: Attempt & { end(): void } = {
    run,
    owed: [],
    owe(debt) {
      attempt.owed = [...attempt.owed, debt]
    },
    deaths: 0,
    signal: over.signal,
    interruption: () => why,
    say(more: string) {
      if (saying === undefined) return
      saying.text += more
      saying.last = more
      signals.said(run.id)
    },
    ask({ seq, tries }) {
      saying = { seq, tries, claim: (run.claim_id ?? '').slice(0, 8), base: 0, text: '', last: '' }
    },
    begin(kind: 'model' | 'tool') {
      isCalling = kind === 'tool'
    },
    hasWritten(written) {
      if (written.length > 0) advanced(attempt.deaths)
      attempt.owed = attempt.owed.filter((debt) => !written.includes(debt))
      signals.saidAll(run.id)
      saying = undefined
    },
    end() {
      cancelDeadline()
      cancelDrain()
      live.remove(run.id, handle)
    },
  }
  live.add(run.id, handle)
  return attempt
}
