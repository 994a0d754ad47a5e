import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { isAscii } from '../../core/text/terms.ts'
import { createThread } from '../../core/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

/**
 * Ranks texts: in a thread where non-ASCII texts would block the event loop for ten milliseconds per search.
 */
export interface Ranker {
  rank(ranking: Ranking): Promise<Scored[]>
  close(): Promise<void>
}

/** Up to this many characters of non-ASCII texts are ranked faster here than a message reaches the thread. */
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
