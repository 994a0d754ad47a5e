import { runCommand } from '#src/cli/command.ts'

/** What a command ended with, and its output. */
export interface Ended {
  code: number
  out: string
  err: string
}

/** `postern start`, in this process. */
export interface StartedHere {
  /** Where it listens; empty where it was refused. */
  url: string
  /** Its output so far. */
  out(): string
  /**
   * Ends it as a signal would; resolves with what it ended with, also where it was refused.
   * @throws Error where it ended its process before its work was over
   */
  end(): Promise<Ended>
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs `postern start` in this process, where a start takes a tenth of the processor time of a new process.
 * @param isInteractive whether the command takes its output for a terminal
 * @returns when it is ready or has ended
 */
export async function startHere(
  env: Record<string, string>,
  { isInteractive = false }: { isInteractive?: boolean } = {},
): Promise<StartedHere> {
  const before = SIGNALS.map((signal) => process.listeners(signal))
  /** What the command has registered for each signal. */
  const registered = () =>
    SIGNALS.map((signal, index) =>
      process.listeners(signal).filter((listener) => before[index]?.includes(listener) === false),
    )
  const [out, err]: [string[], string[]] = [[], []]
  const ready = Promise.withResolvers<void>()
  let exit: Error | undefined
  const ended = runCommand(['start'], {
    env: { LOG_LEVEL: 'silent', PORT: '0', WORKERS: '1', ...env },
    isInteractive,
    complain: (line) => err.push(line),
    // The process has other tests, which would end with it and without a word.
    exit(code) {
      exit ??= new Error(`postern start ends its process with ${code}: ${err.join('\n')}`)
      throw exit
    },
    print(line) {
      out.push(line)
      if (line.includes('is ready')) ready.resolve()
    },
  })
  const removed = ended.finally(() => {
    for (const [index, listeners] of registered().entries())
      for (const listener of listeners) process.off(SIGNALS[index] ?? 'SIGTERM', listener)
  })
  await Promise.race([ready.promise, removed])
  const said = () => out.join('\n')
  return {
    url: /Listening (http:\S+)/.exec(said())?.[1] ?? '',
    out: said,
    async end() {
      for (const listener of registered()[1] ?? []) listener('SIGTERM')
      const code = await removed
      if (exit !== undefined) throw exit
      return { code, out: said(), err: err.join('\n') }
    },
  }
}

/** Runs `postern start`, which is to be refused. @returns what it ended with; 0 where it was not refused */
export async function refusedStart(env: Record<string, string>): Promise<Ended> {
  return (await startHere(env)).end()
}
