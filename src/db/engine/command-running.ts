import { type Millis, toIso } from '../../core/clock.ts'

/**
 * The message for a process that is refused while a command uses the database alone.
 * @param process the command's process id; undefined where it may run on another machine
 */
export function commandRunning(
  place: string,
  { command, since, process }: { command: string; since: Millis; process?: number },
): string {
  const by = process === undefined ? '' : ` (process ${process})`
  return `"${command}" is at work on ${place} since ${toIso(since)}${by}. Wait until it has ended, then try again.`
}
