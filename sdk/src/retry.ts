import { PosternError } from './errors.ts'

/** Waits are random between 0 and a bound that starts here and doubles up to the one below. */
const FIRST_MS = 250
const LONGEST_MS = 8_000

/** Whether a repetition of the call may succeed. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof PosternError)) return false
  const { code, status, details } = error
  if (code === 'NETWORK' || code === 'TIMEOUT') return true
  // The first try of this call is still under way.
  if (code === 'DUPLICATE') return (details as { reason?: string }).reason === 'still_running'
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** The wait before the next try: that of the answer, or a random part of a bound that doubles. */
export function waitMs(tries: number, error?: unknown): number {
  const asked = error instanceof PosternError ? error.retryAfter : undefined
  if (asked !== undefined) return asked * 1_000
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** tries)
}

/** The longest time of a timer; a longer one would end at once. */
const MOST_MS = 2 ** 31 - 1

/** Calls `then` after a time of any length. */
export function after(ms: number, then: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(then, Math.min(ms, MOST_MS))
}

/** Resolves after a time. @throws the reason of `signal`, when it is aborted before */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = after(ms, () => {
      signal?.removeEventListener('abort', end)
      resolve()
    })
    signal?.addEventListener('abort', end, { once: true })
  })
}
