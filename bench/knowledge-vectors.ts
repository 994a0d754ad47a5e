import { monitorEventLoopDelay } from 'node:perf_hooks'
import { stopwatch } from '#src/core/clock.ts'
import type { Database } from '#src/db/database.ts'
import { createNearest } from '#src/db/engine/reader.ts'
import { searchVectors } from '#src/knowledge/search/search-vectors.ts'
import { median, ms, spreadOf, whole } from './figures.ts'
import { MODEL, seedBase, textOf } from './knowledge-seed.ts'
import type { Row } from './table.ts'

/** The chunks of a base that is searched by vectors, and the numbers in a vector. */
const [WITH_VECTORS, DIMENSIONS] = [10_000, 384]
const BY_VECTORS = 40

/** Measures how long a search by vectors takes, and how long it stops the event loop. */
export async function vectorRow(database: Database, random: () => number, goal: number): Promise<Row> {
  const near = await measureVectors(database, random)
  return {
    name: `the nearest of ${whole(WITH_VECTORS)} vectors of ${DIMENSIONS} numbers`,
    measured: `p50 ${ms(near.p50)}, p95 ${ms(near.p95)}, no pause of the loop over ${ms(near.stall)}`,
    raw: `${ms(near.raw)} to multiply as many that are in memory`,
    goal: `no pause over ${goal} ms`,
    isMet: near.stall <= goal,
  }
}

/** Searches by vectors alone, as `mode` `vector` does once it has the vector of the query. */
async function measureVectors(database: Database, random: () => number) {
  const vectorOf = () => {
    const numbers = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
    const length = Math.hypot(...numbers)
    return numbers.map((number) => number / length)
  }
  const { id } = await seedBase(database, WITH_VECTORS, textOf(random), vectorOf)
  const to = vectorOf()
  // The first search starts the thread that compares vectors.
  await searchVectors(database, [id], MODEL, to)
  const stop = watchLoop()
  const took: number[] = []
  for (let index = 0; index < BY_VECTORS; index += 1) {
    const elapsed = stopwatch()
    await searchVectors(database, [id], MODEL, to)
    took.push(elapsed())
  }
  const stall = stop()
  return { ...spreadOf(took), stall, raw: bareProducts(vectorOf, to) }
}

/** The raw limit: milliseconds of as many scalar products over vectors in memory. */
function bareProducts(vectorOf: () => Float32Array, to: Float32Array): number {
  const vectors = Array.from({ length: WITH_VECTORS }, vectorOf)
  const took = Array.from({ length: 5 }, () => {
    const elapsed = stopwatch()
    const kept = createNearest(to, 100)
    for (const [id, vector] of vectors.entries()) kept.offer({ id, vector: new Uint8Array(vector.buffer) })
    kept.take()
    return elapsed()
  })
  return median(took)
}

/** @returns a function that ends it and returns the longest pause of the event loop in milliseconds */
export function watchLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  return () => {
    delays.disable()
    return delays.max / 1e6
  }
}
