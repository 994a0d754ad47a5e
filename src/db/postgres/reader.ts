import { turn } from '../../core/clock.ts'
import type { Db } from '../engine/engine.ts'
import { createNearest, type Reader } from '../engine/reader.ts'

/** Rows with vectors that are read at a time: few enough that nobody waits long for the loop. */
const PAGE = 250

/** The server reads; vectors come in pages, and others have their turn between them. */
export function createReader(db: Db): Reader {
  return {
    rows: async (query) => (await db.executeQuery(query)).rows,
    async nearest(page, to, limit) {
      const kept = createNearest(to, limit)
      for (let after = 0; ; ) {
        const { rows } = await db.executeQuery(page(after, PAGE))
        for (const row of rows) kept.offer(row)
        if (rows.length < PAGE) return kept.take()
        after = rows.at(-1)?.id ?? after
        await turn()
      }
    },
  }
}
