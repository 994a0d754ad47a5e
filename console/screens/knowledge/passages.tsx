import type { Document } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { useFilters } from '../../app/router.ts'
import { number, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { placeOf } from './place.ts'

/** The passages of a document in the order of its text, beginning with the one that the address names. */
export function Passages({ document: { id, indexedAt, chunks } }: { document: Document }) {
  const [{ from }, change] = useFilters(['from'])
  const begin = /^\d{1,5}$/.test(from) ? Number(from) : 0
  // Another indexing makes other passages, so `indexedAt` is in the key.
  const list = useList(`chunks ${id} ${indexedAt} ${begin}`, (how) =>
    postern.documents.chunks(id, { limit: 20, from: begin }, how),
  )
  return (
    <Panel
      title="Passages"
      note={chunks === 0 ? 'None can be found' : 'As they are found, in the order of the text'}
      actions={
        begin > 0 && (
          <Button small onPress={() => change({ from: '' })}>
            From the first
          </Button>
        )
      }
    >
      <Failed failure={list.failure} retry={list.refresh} />
      {list.data === undefined && list.failure === undefined && <Waiting lines={6} />}
      <ol class="stack">
        {list.rows.map(({ chunkId, position, location, text }) => (
          <li key={chunkId} class="knowledge-passage">
            <div class="row knowledge-passage-head">
              <span class="small number">{number(position + 1)}</span>
              <span class="small quiet">{placeOf(location)}</span>
            </div>
            <p class="work-text">{textOf(text)}</p>
          </li>
        ))}
      </ol>
      <Pager list={list} noun={['passage', 'passages']} />
    </Panel>
  )
}
