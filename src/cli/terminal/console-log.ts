import { styleText } from 'node:util'
import { toDate } from '../../core/clock.ts'

/** A parsed line of the log. */
interface Line {
  level: number
  time: number
  msg?: string
  err?: { stack?: string; message?: string }
  [name: string]: unknown
}

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** Control characters, which a request's path could use against the terminal. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Formats the JSON log for a terminal: one line per request, in columns. */
export function toConsole(print: (line: string) => void): (json: string) => void {
  return (json) => print(format(JSON.parse(json) as Line))
}

function format(line: Line): string {
  const time = styleText('dim', toDate(line.time).toTimeString().slice(0, 8))
  return `${time} ${line.msg === 'request' ? formatRequest(line) : formatOther(line)}`
}

function formatRequest({ method, status, path, durationMs, requestId }: Line): string {
  const color = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green'
  const duration = `${Number(durationMs).toFixed(1)} ms`.padStart(10)
  const shown = String(path).replace(CONTROL, '?')
  return `${styleText(color, String(status))} ${String(method).padEnd(6)} ${duration}  ${shown}  ${styleText('dim', String(requestId))}`
}

function formatOther({ level, time: _time, msg, err, ...data }: Line): string {
  const name = LEVELS[level] ?? String(level)
  const words = [
    level >= 50 ? styleText('red', name) : level >= 40 ? styleText('yellow', name) : name,
    msg ?? '',
  ]
  for (const [key, value] of Object.entries(data)) words.push(`${key}=${shown(value)}`)
  const trace = err?.stack ?? err?.message
  return trace === undefined ? words.join(' ') : `${words.join(' ')}\n${trace}`
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (text ?? '').replace(CONTROL, '?')
}
