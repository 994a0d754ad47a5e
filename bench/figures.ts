import { readdirSync, readFileSync } from 'node:fs'

/** The distribution of some durations, in milliseconds. */
export interface Spread {
  count: number
  p50: number
  p95: number
  p99: number
  max: number
}

/** @param durations in milliseconds; they are sorted in place */
export function spreadOf(durations: number[]): Spread {
  durations.sort((a, b) => a - b)
  const at = (share: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0
  return { count: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/** The middle of some figures. */
export function median(figures: number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = 0, high = 0] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}

/** The standard error of the mean of figures. */
export function errorOf(figures: number[]): number {
  const mean = sum(figures) / figures.length
  const squares = figures.map((figure) => (figure - mean) ** 2)
  return Math.sqrt(sum(squares) / (figures.length - 1) / figures.length)
}

export function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en-US')
}

/** As the report tells a duration: `4.2 ms`. */
export function ms(duration: number): string {
  return `${duration >= 100 ? whole(duration) : duration.toFixed(1)} ms`
}

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10

/** The fields of `/proc/<pid>/stat` behind the name of the process, which is in brackets and may contain any sign. */
function statOf(pid: number | string): number[] {
  return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []).map(Number)
}

const sum = (figures: (number | undefined)[]) => figures.reduce<number>((all, one) => all + (one ?? 0), 0)

/** What a process has used of the processors so far, in milliseconds; or one of its threads, as `<pid>/task/<thread>`. */
export function cpuOf(pid: number | string): number {
  return sum(statOf(pid).slice(11, 13)) * TICK_MS
}

/** The same as `cpuOf`, with what its children use, and what those have used that have ended. */
export function cpuWithChildren(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        const stat = statOf(Number(name))
        return stat[1] === pid ? sum(stat.slice(11, 13)) : 0
      } catch {
        // It has ended since the folder was read.
        return 0
      }
    })
  return (sum(children) + sum(statOf(pid).slice(11, 15))) * TICK_MS
}

/** Resident memory of a process, in MB: now (`VmRSS`), or the most that it ever was (`VmHWM`). */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
}
