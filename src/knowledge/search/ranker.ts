import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { isAscii } from '../../core/text/terms.ts'
import { createThread } from '../../core/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

/**
 * Orders texts: beside the event loop where a language other than English would hold it up for ten milliseconds a search.
 */
export interface Ranker {
  rank(ranking: Ranking): Promise<Scored[]>
  close(): Promise<void>
}

/** So few characters are read before a thread would have heard of them; those of texts in ASCII alone do not count. */
const FEW = 10_000

export function createRanker(): Ranker {
  const thread = createThread<Ranking, Scored[]>(
    new URL(`./ranking-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      heapMb: 64,
    },
  )
  return {
    async rank(ranking) {
      const length = ranking.candidates.reduce((sum, { text }) => sum + (isAscii(text) ? 0 : text.length), 0)
      return length <= FEW ? rankByText(ranking) : thread.ask(ranking)
    },
    close: thread.close,
  }
}
