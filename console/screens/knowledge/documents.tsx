import { useState } from 'preact/hooks'
import type { Document } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { answered, outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to } from '../../app/router.ts'
import { shortNumber, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Failed } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { hasEnded, useDocuments } from './data.ts'

/** Documents of a base, as they are indexed. */
export function Documents({ baseId, onFiles }: { baseId: string; onFiles: () => void }) {
  const list = useDocuments(baseId)
  const reason = useAccess().reason({ permission: 'documents:write' })
  const [deleted, setDeleted] = useState<Document | undefined>()
  const again = useAction(async ({ id }: Document) => {
    answered(`document ${id}`, await postern.documents.index(id))
    outdate(`documents ${baseId}`)
  })
  const ended = list.rows.filter(hasEnded).length
  return (
    <Panel title="Documents" flush>
      {ended < list.rows.length && (
        <div class="knowledge-progress">
          <Progress label="Documents being indexed" done={ended} total={list.rows.length} />
        </div>
      )}
      <Failed failure={again.failure} />
      <ListTable
        label="Documents"
        noun={['document', 'documents']}
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => to(`/documents/${id}`)}
        rowKeys={
          reason === undefined
            ? [{ keys: 'i', label: 'Index the document again', run: (row) => void again.run(row) }]
            : []
        }
        empty={
          <Empty icon="file" title="No documents yet">
            <p>Add files or text, or drop files on this page. They can be searched a moment later.</p>
            <Button kind="primary" icon="plus" reason={reason} onPress={onFiles}>
              Add files
            </Button>
          </Empty>
        }
        columns={[
          { title: 'Name', cell: ({ name }) => textOf(name) },
          {
            title: 'Status',
            tight: true,
            cell: (row) => (
              <span class="work-two">
                <Status of={row.status} />
                {row.error !== null && hasEnded(row) && (
                  <span class="small quiet">{textOf(row.error.message)}</span>
                )}
              </span>
            ),
          },
          { title: 'Passages', tight: true, end: true, cell: ({ chunks }) => shortNumber(chunks) },
          { title: 'Added', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'More',
            tight: true,
            end: true,
            cell: (row) => (
              <Menu
                label={`More about ${textOf(row.name)}`}
                small
                items={[
                  { label: 'Index again', icon: 'retry', reason, run: () => void again.run(row) },
                  { label: 'Delete', icon: 'trash', danger: true, reason, run: () => setDeleted(row) },
                ]}
              />
            ),
          },
        ]}
      />
      {deleted && <DeleteDocument document={deleted} onClose={() => setDeleted(undefined)} />}
    </Panel>
  )
}

/** Asks before a document is deleted. */
export function DeleteDocument({
  document: { id, name, knowledgeBaseId },
  done,
  onClose,
}: {
  document: Document
  done?: () => void
  onClose: () => void
}) {
  return (
    <Confirm
      title="Delete this document?"
      action="Delete"
      danger
      work={async () => {
        await postern.documents.delete(id)
        outdate(`documents ${knowledgeBaseId}`)
        outdate('base')
        done?.()
      }}
      onClose={onClose}
    >
      <p>
        Nothing of <strong>{textOf(name)}</strong> is found any more. The file it was made from, if any, is
        kept.
      </p>
    </Confirm>
  )
}
