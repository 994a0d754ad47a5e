import type { Ready } from '../../cluster/messages.ts'
import { type Millis, SECOND } from '../../core/clock.ts'
import type { Terminal } from './terminal.ts'

/** Prints that the server is ready. */
export function printReady(terminal: Terminal, { words, json }: Ready): void {
  terminal.print(words)
  terminal.answer(json)
}

/** The message after the first signal to stop. */
export function stopMessage(drain: Millis): string {
  const drained = drain > 0 ? `for ${drain / SECOND} s it still answers (DRAIN_SECONDS), then ` : ''
  return `Stopping: ${drained}attempts and requests under way end, which may take 30 s, two minutes at most. Once more ends it at once.`
}
