import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import { createRanker } from '#src/knowledge/search/ranker.ts'
import { createSearch, type Search } from '#src/knowledge/search/search.ts'
import { createStore, type EngineName, type Store } from './store.ts'

/** The search of a server without embeddings over an empty store, called without HTTP. */
export interface OpenSearch {
  store: Store
  database: Database
  search: Search
  /** Closes the search and the database, and removes the store. */
  close(): Promise<void>
}

/** Opens a search over an empty store of the engine. */
export async function openSearch(engine: EngineName): Promise<OpenSearch> {
  const store = await createStore(engine)
  const database = await openDatabase({
    ...readConfig(store.env).store,
    clock: systemClock,
    report() {},
    onConnectionError() {},
  })
  const ranker = createRanker()
  return {
    store,
    database,
    search: createSearch({ clock: systemClock, database, embeddings: undefined, ranker }),
    async close() {
      await ranker.close()
      await database.close()
      await store.remove()
    },
  }
}
