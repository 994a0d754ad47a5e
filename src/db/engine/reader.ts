import type { CompiledQuery } from 'kysely'

/** A row with a vector of float32, of unit length; null where it is to be passed over. */
export interface WithVector {
  id: number
  vector: Uint8Array | null
}

/** A row, and how near it is: 1 for the same direction, -1 for the opposite. */
export interface Near {
  id: number
  score: number
}

/** Reads so much that others would notice: where the engine would hold up the event loop, it is done beside it. */
export interface Reader {
  /** How many readings gain something by going on at once. */
  readonly atOnce: number
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>
  /**
   * The rows whose vectors are nearest to one; those of another length are passed over.
   * @param page the rows with the lowest ids above `after`, so many at most; in any order
   */
  nearest(
    page: (after: number, take: number) => CompiledQuery<WithVector>,
    to: Float32Array,
    limit: number,
  ): Promise<Near[]>
}

/** Keeps the nearest of many rows. */
export interface Nearest {
  offer(row: WithVector): void
  /** The nearest first; of equal ones the older. */
  take(): Near[]
}

/** How many more than are asked for are kept before the rest is let go. */
const SLACK = 512

export function createNearest(to: Float32Array, limit: number): Nearest {
  let kept: Near[] = []
  /** What is no nearer has no chance. */
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
      // Copied: floats must lie at multiples of four, and what an engine hands out lies anywhere.
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
