import type { DeliveryAttempt } from '#sdk/postern.ts'
import { duration, errorWords, textOf } from '../../app/words.ts'

export interface Change {
  what: string
  from: string
  to: string
}

/** Durations always differ; this factor is worth showing. */
const TELLING = 2

/** The differences between two attempts of one delivery. Their bodies are the same. */
export function changesOf(before: DeliveryAttempt, after: DeliveryAttempt): Change[] {
  const rows: [what: string, from: string, to: string][] = [
    ['Response', resultOf(before), resultOf(after)],
    ['URL', textOf(before.url), textOf(after.url)],
    ['Address', textOf(before.address), textOf(after.address)],
    ['Signed with', before.signedWith, after.signedWith],
    ['Response body', summaryOf(before.responseBody), summaryOf(after.responseBody)],
    ...headerRows(before.responseHeaders ?? {}, after.responseHeaders ?? {}),
  ]
  const changes = rows
    .filter(([, from, to]) => from !== to)
    .map(([what, from, to]) => ({ what, from: from || '–', to: to || '–' }))
  const [short, long] = [before.durationMs, after.durationMs].sort((a, b) => a - b) as [number, number]
  if (long >= TELLING * Math.max(short, 5))
    changes.push({ what: 'Time', from: duration(before.durationMs), to: duration(after.durationMs) })
  return changes
}

/** The result of an attempt in a word: the status of its response, or why there was none. */
export function resultOf({ statusCode, errorClass, error }: DeliveryAttempt): string {
  if (statusCode !== null) return String(statusCode)
  return errorClass === null ? textOf(error ?? 'no response') : errorWords(errorClass)
}

/** Headers that differ in every answer say nothing. */
const EVER_NEW = /^(date|x-request-id|cf-ray|etag|age|set-cookie)$/i

function headerRows(
  before: Record<string, string>,
  after: Record<string, string>,
): [string, string, string][] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !EVER_NEW.test(name),
  )
  return names.map((name) => [name, textOf(before[name]), textOf(after[name])])
}

function summaryOf(body: string | null): string {
  const text = textOf(body).replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
