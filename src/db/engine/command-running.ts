import { type Millis, toIso } from '../../core/clock.ts'

/**
 * What to say where a command has a database alone.
 * @param process its id; undefined where it may be one of another machine
 */
export function commandRunning(
  place: string,
  { command, since, process }: { command: string; since: Millis; process?: number },
): string {
  const by = process === undefined ? '' : ` (process ${process})`
  return `"${command}" is at work on ${place} since ${toIso(since)}${by}. Wait until it has ended, then try again.`
}
