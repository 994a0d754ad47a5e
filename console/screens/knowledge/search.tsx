import { useState } from 'preact/hooks'
import { useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useFilters } from '../../app/router.ts'
import { count, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { marked } from './marked.ts'
import { placeOf, positionOf } from './place.ts'

const BY: Record<string, string> = {
  text: 'by words',
  vector: 'by meaning',
  both: 'by words and meaning',
}

const WHY: Record<string, string> = {
  no_embedding: 'The knowledge base has no embedding model.',
  model_not_configured: 'The server has another embedding model than the knowledge base, or none.',
  not_indexed_with_model: 'Some documents have no embeddings yet: index them again.',
  no_words: 'The question has no word to search for.',
  not_comparable: 'The embedding model changed: index the documents again.',
  embeddings_unavailable: 'The embedding endpoint did not respond in time.',
}

/** Searches a base; the question stands in the address. */
export function Search({ baseId }: { baseId: string }) {
  const [{ q }, change] = useFilters(['q'])
  const [typed, setTyped] = useState(q)
  const { data, failure, isBusy, refresh } = useData(q === '' ? undefined : `search ${baseId} ${q}`, (how) =>
    postern.knowledgeBases.search(baseId, { query: q, limit: 10 }, how),
  )
  return (
    <Panel title="Search">
      <form
        class="knowledge-search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() === q) refresh()
          else change({ q: typed.trim() })
        }}
      >
        <input
          type="search"
          aria-label="Search for"
          placeholder="How long may I send goods back?"
          maxLength={2_000}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" icon="search" busy={q !== '' && isBusy}>
          Search
        </Button>
      </form>
      <Failed failure={failure} retry={refresh} />
      {q !== '' && data === undefined && failure === undefined && <Waiting lines={3} />}
      {data && q !== '' && (
        <div class="stack">
          <p class="small quiet" role="status">
            {data.data.length === 0 ? 'Nothing found' : count(data.data.length, 'passage')}, searched{' '}
            {BY[data.mode]}.{' '}
            {data.reason !== null && (WHY[data.reason] ?? textOf(data.reason).replaceAll('_', ' '))}
          </p>
          <ol class="stack">
            {data.data.map(({ chunkId, documentId, documentName, location, score, text }) => (
              <li key={chunkId} class="knowledge-passage">
                <div class="row knowledge-passage-head">
                  <a href={to(`/documents/${documentId}`, { from: positionOf(chunkId) })}>
                    {textOf(documentName)}
                  </a>
                  <span class="small quiet">{placeOf(location)}</span>
                  <span class="small quiet number knowledge-score" title="Higher is better within one search">
                    score {score.toPrecision(3)}
                  </span>
                </div>
                <p class="work-text">
                  {marked(textOf(text), q).map(([part, isMarked], at) =>
                    isMarked ? <mark key={at}>{part}</mark> : part,
                  )}
                </p>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  )
}
