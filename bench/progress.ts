import { MINUTE, SECOND, stopwatch } from '#src/core/clock.ts'

/** Says on standard error what runs, and how long it may yet take. */
export interface Progress {
  /** The next piece of work begins. */
  begin(name: string, seconds: number): void
  say(line: string): void
  end(): void
}

/** @param total seconds that all pieces may take */
export function createProgress(total: number): Progress {
  const isTerminal = process.stderr.isTTY
  let after = total
  let [name, expected, elapsed] = ['', 0, stopwatch()]
  return {
    begin(next, seconds) {
      after -= seconds
      name = next
      expected = seconds
      elapsed = stopwatch()
    },
    say(line) {
      const left = (after + Math.max(0, expected - elapsed() / SECOND)) * SECOND
      const time = left < 1.5 * MINUTE ? `${Math.ceil(left / SECOND)} s` : `${Math.round(left / MINUTE)} min`
      process.stderr.write(
        `${isTerminal ? '\r\x1b[K' : ''}${name}: ${line} · about ${time} to go${isTerminal ? '' : '\n'}`,
      )
    },
    end: () => void process.stderr.write(isTerminal ? '\r\x1b[K' : ''),
  }
}
