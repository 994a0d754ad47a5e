import type { CompiledQuery } from 'kysely'

/** A row with a unit vector of float32; null is skipped. */
export interface WithVector {
  id: number
  vector: Uint8Array | null
}

/** A row and the cosine similarity of its vector: 1 for the same direction, -1 for the opposite. */
export interface Near {
  id: number
  score: number
}

/** Reads many rows; in a thread, where the engine would block the event loop. */
export interface Reader {
  /** The number of concurrent reads above which throughput does not grow. */
  readonly atOnce: number
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>
  /**
   * Finds the rows whose vectors are nearest to `to`; rows with vectors of another length are skipped.
   * @param page selects up to `take` rows with the lowest ids above `after`, in any order
   */
  nearest(
    page: (after: number, take: number) => CompiledQuery<WithVector>,
    to: Float32Array,
    limit: number,
  ): Promise<Near[]>
}

/** Collects the nearest of many rows. */
export interface Nearest {
  offer(row: WithVector): void
  /** The nearest first; of equal ones the older first. */
  take(): Near[]
}

/** Rows beyond the limit that are kept before the list is sorted and cut. */
const SLACK = 512

export function createNearest(to: Float32Array, limit: number): Nearest {
  let kept: Near[] = []
  /** Rows with a lower score are skipped. */
  let floor = Number.NEGATIVE_INFINITY
  const copy = new Float32Array(to.length)
  const bytes = new Uint8Array(copy.buffer)

  function prune(): void {
    kept = kept.sort(byNearness).slice(0, limit)
    if (kept.length === limit) floor = kept.at(-1)?.score ?? floor
  }

  return {
    offer({ id, vector }) {
      if (vector?.byteLength !== bytes.byteLength) return
      // Copied, because a Float32Array must be aligned to four bytes, and the engine's bytes may not be.
      bytes.set(vector)
      const score = dot(copy, to)
      if (score < floor) return
      kept.push({ id, score })
      if (kept.length > limit + SLACK) prune()
    },
    take() {
      prune()
      return kept
    },
  }
}

function byNearness(a: Near, b: Near): number {
  return b.score - a.score || a.id - b.id
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += (a[index] as number) * (b[index] as number)
  return sum
}
