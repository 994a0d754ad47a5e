import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { isAscii } from '../../core/text/terms.ts'
import { createThread } from '../../core/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

/** Ranks texts: in a thread where that would block the event loop, by up to ten milliseconds per search. */
export interface Ranker {
  rank(ranking: Ranking): Promise<Scored[]>
  close(): Promise<void>
}

/** Up to this many characters of non-ASCII texts are ranked faster here than a message reaches the thread. */
const FEW = 10_000
/** So many characters of ASCII texts take as long as one other. */
const ASCII_AS_ONE = 3

export function createRanker(): Ranker {
  const thread = createThread<Ranking, Scored[]>(
    new URL(`./ranking-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      heapMb: 64,
    },
  )
  return {
    async rank(ranking) {
      return costOf(ranking) <= FEW ? rankByText(ranking) : thread.ask(ranking)
    },
    close: thread.close,
  }
}

function costOf({ candidates }: Ranking): number {
  const lengths = candidates.map(({ text }) => text.length / (isAscii(text) ? ASCII_AS_ONE : 1))
  return lengths.reduce((sum, length) => sum + length, 0)
}
