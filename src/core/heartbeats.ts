import { MINUTE, type Millis, repeat, SECOND, stopwatch, systemClock } from './clock.ts'

/** How often each worker is asked for a heartbeat, which its event loop answers. */
export const BEAT: Millis = 3 * SECOND
/** No work of a worker holds its event loop for 30 seconds; after 40 it would have lost its lease. */
const MOST_UNANSWERED = 10
/** A worker that begins loads its modules before its event loop answers. */
const BEGINNING: Millis = 2 * MINUTE
/** Of a beat: an asker that is itself late by more was stopped, or waited for a busy machine as the workers did. */
const LATE = 1.5

/** Heartbeats of the workers, by their numbers. */
interface Heartbeats {
  /** A worker was started. Its first answer may take two minutes longer than later ones. */
  began(worker: number): void
  /** A worker has answered, or is ready. */
  answered(worker: number): void
  /** A worker has ended. */
  forget(worker: number): void
  /**
   * Counts the questions without an answer, before the next ones are sent.
   * @param lasted the time since the last call; delays of the asking process do not count against a worker
   * @returns the workers that stand still, each once
   */
  judge(lasted: Millis): number[]
  /**
   * Judges the workers and asks them, once in each beat.
   * @param onStill called for each worker that stands still
   * @param ask sends the questions to all workers
   * @returns ends it
   */
  repeat(what: { onStill: (worker: number) => void; ask: () => void }): () => void
}

/** @param beat how often workers are judged and asked, in milliseconds */
export function createHeartbeats(beat: Millis): Heartbeats {
  /** Questions since the last answer; negative while a worker may still be beginning. */
  const unanswered = new Map<number, number>()
  const heartbeats: Heartbeats = {
    began: (worker) => void unanswered.set(worker, -Math.ceil(BEGINNING / beat)),
    answered: (worker) => void unanswered.set(worker, 0),
    forget: (worker) => void unanswered.delete(worker),
    judge(lasted) {
      if (lasted > LATE * beat) return []
      const still = [...unanswered].flatMap(([worker, count]) => (count === MOST_UNANSWERED ? worker : []))
      for (const [worker, count] of unanswered) unanswered.set(worker, count + 1)
      for (const worker of still) unanswered.delete(worker)
      return still
    },
    repeat({ onStill, ask }) {
      let sinceBeat = stopwatch()
      return repeat(systemClock, beat, () => {
        const lasted = sinceBeat()
        sinceBeat = stopwatch()
        for (const worker of heartbeats.judge(lasted)) onStill(worker)
        ask()
      })
    },
  }
  return heartbeats
}
