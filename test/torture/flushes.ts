import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pause } from '#src/core/clock.ts'
import { until } from '../support/waits.ts'
import type { ScenarioOptions, Skipped } from './scenario.ts'
import { type Stand, startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/** Events that are published one after the other: no two of them can share a flush. */
const ALONE = 120
/** Rounds of concurrent events, which share flushes. */
const [ROUNDS, TOGETHER] = [10, 20]

const CALLS = 'pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync'

/** The embedded store under a trace of its system calls: writes to the log are flushed before a 202 is sent. */
export async function traceFlushes({ seed, mostRefusals, say }: ScenarioOptions): Promise<Verdict | Skipped> {
  if (!canTrace()) return { skipped: NO_TRACE }
  const folder = mkdtempSync(join(tmpdir(), 'postern-trace-'))
  const trace = join(folder, 'trace')
  // Detached, so that the started process, which gets the signals, is the server itself.
  const under = [
    'strace',
    '-D',
    '-f',
    // The server stops only at the calls that are traced.
    '--seccomp-bpf',
    '-yy',
    '-s',
    '40',
    '-e',
    `trace=${CALLS}`,
    '-e',
    'signal=none',
    '-o',
    trace,
  ]
  try {
    const stand = await startStand({ engine: 'sqlite', rate: 0, seed, mostRefusals, under })
    try {
      const before = await settled(trace)
      for (let count = 0; count < ALONE; count += 1) await publish(stand)
      say(`${ALONE} events were acknowledged one after the other`)
      for (let round = 0; round < ROUNDS; round += 1)
        await Promise.all(Array.from({ length: TOGETHER }, () => publish(stand)))
      await stand.load.stop()
      await stand.drained()
      const code = await stand.server.end()
      await settled(trace)
      const seen = await readTrace(trace, before)
      const { failures, figures } = await judge(stand, { interruptions: 0 })
      if (code !== 0) failures.push(`the server ended with ${code}: ${stand.server.lastWords()}`)
      if (seen.early > 0)
        failures.push(`${seen.early} of ${seen.answers} answers left before the log was flushed`)
      if (seen.answers < ALONE) failures.push(`only ${seen.answers} answers were seen in the trace`)
      if (seen.flushes < ALONE)
        failures.push(`${seen.flushes} flushes for ${ALONE} commits that nobody shared`)
      return {
        failures,
        figures: {
          ...figures,
          'answers 202 seen': seen.answers,
          'before the flush of their commit': seen.early,
          'flushes of the log': seen.flushes,
        },
      }
    } finally {
      await stand.remove()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws Error when it is not acknowledged */
export async function publish({ call, load }: Stand): Promise<void> {
  const data = { agentId: 'agent_1', runId: 'run_1', status: 'succeeded', durationMs: 1, output: '' }
  const { status, body } = await call('/v1/events', { type: 'agent.run.completed', data })
  if (status !== 202) throw new Error(`an event was answered with ${status}`)
  load.acknowledged.set(String(body.id), 'agent.run.completed')
}

export const NO_TRACE = 'system calls cannot be traced here: that takes strace, and the right to trace'

export function canTrace(): boolean {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Resolves when the tracer has written all that it has seen. @returns the length of the trace */
async function settled(trace: string): Promise<number> {
  let before = -1
  return until(
    async () => {
      const { size } = statSync(trace)
      const isSame = size === before
      before = size
      await pause(200)
      return isSame ? size : undefined
    },
    (size) => size !== undefined,
    { what: 'the trace to be written' },
  ) as Promise<number>
}

/** Lines of a trace: a write to the log, the begin and the end of a flush, an answer that is sent. */
const WRITTEN = /^\d+ +pwrite64\(\d+<[^>]*-wal>/
const FLUSH = /^(\d+) +f(?:data)?sync\(\d+<[^>]*-wal>(.*)$/
const FLUSH_ENDS = /^(\d+) +<\.\.\. f(?:data)?sync resumed>/
const ANSWERED = /^\d+ +(?:write|writev|sendto|sendmsg)\(\d+<TCP.*HTTP\/1\.1 202 /

/** @param start how much of the trace was about the time before */
async function readTrace(trace: string, start: number) {
  const seen = { answers: 0, early: 0, flushes: 0 }
  const flushing = new Set<string>()
  let isFlushed = true
  function flushed(): void {
    isFlushed = true
    seen.flushes += 1
  }
  for await (const line of createInterface({ input: createReadStream(trace, { start }) })) {
    const [, flusher, rest = ''] = FLUSH.exec(line) ?? []
    const [, ended] = FLUSH_ENDS.exec(line) ?? []
    if (WRITTEN.test(line)) isFlushed = false
    else if (flusher !== undefined && rest.includes('<unfinished')) flushing.add(flusher)
    else if (flusher !== undefined || (ended !== undefined && flushing.delete(ended))) flushed()
    else if (ANSWERED.test(line)) {
      seen.answers += 1
      if (!isFlushed) seen.early += 1
    }
  }
  return seen
}
