import { type Clock, MINUTE, type Millis, SECOND, within } from '../core/clock.ts'
import { DEADLINE } from '../delivery/attempt/send.ts'
import type { Server } from '../http/server.ts'

/** A part of the program that is ended in order. */
interface Ending {
  /** The name of the part in messages. */
  name: string
  end: () => unknown
  /** The time limit of its end. */
  patience?: Millis
}

interface Log {
  error(data: object, message: string): void
}

/** The time for attempts under way: their deadline, and retries of a failing store. */
export const LONGEST_WORK: Millis = DEADLINE + 10 * SECOND
const PATIENCE: Millis = 10 * SECOND
/** The time for requests under way. */
const LONGEST_REQUEST: Millis = 30 * SECOND
/** The time for all parts, below the two minutes of a supervisor. */
const LONGEST: Millis = 2 * MINUTE - 5 * SECOND

/**
 * Ends one group of parts after the other, and the parts of a group at once. A part that fails or is late does not stop the others, so
 * that the process always ends. After the time for all parts, the remaining ones are told to end without a wait.
 * @returns the names of parts that failed or were late
 */
export async function endInTurn(turns: Ending[][], log: Log): Promise<string[]> {
  const undone: string[] = []
  const all = Promise.withResolvers<void>()
  const late = within(LONGEST, all.promise)
  // Parts race against this promise; without a part under way its rejection would be unhandled.
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

/** Ends the server after the requests under way, or cuts them off. */
export async function endServer(server: Server, clock: Clock): Promise<void> {
  const cancel = clock.after(LONGEST_REQUEST, () => server.server.closeAllConnections())
  await server.close()
  cancel()
}
