import { type Clock, MINUTE, type Millis, SECOND, within } from '../core/clock.ts'
import { DEADLINE } from '../delivery/attempt/send.ts'
import type { Server } from '../http/server.ts'

/** A part of the program that is ended in its turn. */
interface Ending {
  /** Says in messages what was not ended. */
  name: string
  end: () => unknown
  /** Longer than it takes where everything is as it should be. */
  patience?: Millis
}

interface Log {
  error(data: object, message: string): void
}

/** Attempts under way may take their whole deadline, and their results a few tries at a store that fails. */
export const LONGEST_WORK: Millis = DEADLINE + 10 * SECOND
const PATIENCE: Millis = 10 * SECOND
/** Requests under way when it ends may take this long. */
const LONGEST_REQUEST: Millis = 30 * SECOND
/** All of them together: a supervisor that waits two minutes has nothing to kill. */
const LONGEST: Millis = 2 * MINUTE - 5 * SECOND

/**
 * Ends one turn after the other, the parts of each at the same time. A part that fails, or does not end in its time, does not stop
 * the others, so that the process always ends. When the time of all is over, the remaining parts are asked to end and not waited
 * for.
 * @returns the names of those that were not ended as they should be
 */
export async function endInTurn(turns: Ending[][], log: Log): Promise<string[]> {
  const undone: string[] = []
  const all = Promise.withResolvers<void>()
  const late = within(LONGEST, all.promise)
  // Each part that is under way races against it; without such a part its rejection has no other handler.
  late.catch(() => {})
  async function endOne({ name, end, patience = PATIENCE }: Ending): Promise<void> {
    try {
      await Promise.race([within(patience, Promise.try(end)), late])
    } catch (error) {
      log.error({ err: error, part: name }, 'not ended')
      undone.push(name)
    }
  }
  for (const turn of turns) await Promise.all(turn.map(endOne))
  all.resolve()
  return undone
}

/** The requests under way end, or are cut off. */
export async function endServer(server: Server, clock: Clock): Promise<void> {
  const cancel = clock.after(LONGEST_REQUEST, () => server.server.closeAllConnections())
  await server.close()
  cancel()
}
