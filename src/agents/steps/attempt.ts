import type { Clock, Millis } from '../../core/clock.ts'
import { SECOND } from '../../core/clock.ts'
import type { Doing } from '../../jobs/rows/row-kind.ts'
import type { Definition } from '../definitions/definition.ts'
import type { Tool } from '../tools/tool.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { PromptParts } from '../transcript/transcript.ts'
import type { Interruption, LiveRun, LiveRuns, StreamedText } from './live-runs.ts'
import type { RunSignals } from './run-signals.ts'

/** The outcome and cost of a step that are not stored yet. */
export interface UnwrittenOutcome {
  /** The step when it began. */
  step: Step
  ended: Pick<Step, 'status'> & Partial<Step>
  cost: number
  at: Millis
}

/** A process's turn at a run, under one claim. */
export interface Attempt {
  /** The run when it was claimed, with its claim and its deadline. */
  run: Run
  /** The attempt of its job, which the end of the run settles. */
  job: Doing['attempt']
  /** Aborts calls of models and tools. */
  signal: AbortSignal
  /** The reason of the interruption; undefined without one. */
  interruption(): Interruption | undefined
  /** Adds text of the model, and notifies readers. */
  say(text: string): void
  /** Notes which kind of step begins: a draining process waits for tool calls. */
  begin(kind: 'model' | 'tool'): void
  /** Begins a try of a model step: `say` adds to its text. */
  ask(step: Pick<Step, 'seq' | 'tries'>): void
  /** Outcomes that are not stored yet. The run's next write includes them in its commit. */
  unwritten: readonly UnwrittenOutcome[]
  /** Adds the outcome of a step. */
  addUnwritten(outcome: UnwrittenOutcome): void
  /** Process deaths during tool calls whose outcome is therefore unknown. */
  deaths: number
  /** Removes outcomes that a commit has written, and ends the text of the step. */
  dropWritten(written: readonly UnwrittenOutcome[]): void
}

/** The run, agent and tools of one turn, and the run's steps so far. */
export interface TurnContext {
  attempt: Attempt
  definition: Definition
  tools: Tool[]
  prompt: Omit<PromptParts, 'steps'>
  /**
   * The steps of the run in order, including outcomes that are not stored yet. Only the process with the claim adds
   * steps.
   */
  steps: Step[]
}

/** The result of a process's turn at a run. */
export type Turn =
  | 'over'
  | 'given_back'
  /** The run has nothing to do before this moment. */
  | { notBefore: Millis }

/** How long tool calls may take to end after the process is asked to stop. */
export const DRAIN: Millis = 10 * SECOND

interface Parts {
  clock: Clock
  live: LiveRuns
  signals: Pick<RunSignals, 'textGrew' | 'textEnded'>
}

/**
 * Begins a turn; the run is among the live runs until `end`.
 * @param doing the job of the run: its abort interrupts the turn, and it notes each step that has ended for good
 */
export function beginAttempt(
  { clock, live, signals }: Parts,
  run: Run,
  { signal, attempt: job, advanced }: Doing,
): Attempt & { end(): void } {
  const over = new AbortController()
  let why: Interruption | undefined
  let streamed: StreamedText | undefined
  let isCalling = false
  let cancelDrain = () => {}

  function interrupt(reason: Interruption): void {
    // A run that has ended does not wait for its tool calls.
    if (why === undefined || reason === 'ended') why = reason
    if (why === 'drain' && isCalling) cancelDrain = clock.after(DRAIN, () => over.abort(why))
    else over.abort(why)
  }

  const handle: LiveRun = {
    ...{ organizationId: run.organization_id, interrupt, streamedText: () => streamed },
  }
  const left = Math.max(0, (run.deadline_at ?? 0) - clock.now())
  const cancelDeadline = clock.after(left, () => interrupt('deadline'))
  const attempt: Attempt & { end(): void } = {
    ...{ run, job },
    unwritten: [],
    addUnwritten(outcome) {
      attempt.unwritten = [...attempt.unwritten, outcome]
    },
    deaths: 0,
    signal: over.signal,
    interruption: () => why,
    say(more: string) {
      if (streamed === undefined) return
      streamed.text += more
      streamed.last = more
      signals.textGrew(run.id)
    },
    ask({ seq, tries }) {
      streamed = { seq, tries, claim: (run.claim_id ?? '').slice(0, 8), base: 0, text: '', last: '' }
    },
    begin(kind: 'model' | 'tool') {
      isCalling = kind === 'tool'
    },
    dropWritten(written) {
      if (written.length > 0) advanced(attempt.deaths)
      attempt.unwritten = attempt.unwritten.filter((outcome) => !written.includes(outcome))
      signals.textEnded(run.id)
      streamed = undefined
    },
    end() {
      cancelDeadline()
      cancelDrain()
      live.remove(run.id, handle)
    },
  }
  live.add(run.id, handle)
  const end = () => interrupt('ended')
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return attempt
}
