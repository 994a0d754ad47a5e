import { useState } from 'preact/hooks'
import type { Document } from '#sdk/postern.ts'
import { useActions } from '../../app/actions.ts'
import { answered, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screens.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { useBase, useLiveDocuments } from './data.ts'
import { DeleteDocument } from './documents.tsx'

/** One document of a base: how its indexing stands. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data, failure, refresh } = useData(`document ${id}`, (how) => postern.documents.read(id, how))
  useLiveDocuments()
  if (data === undefined)
    return (
      <Page title="Document" back={{ href: to('/knowledge'), label: 'Knowledge' }}>
        {failure === undefined ? <Waiting lines={8} /> : <Failed failure={failure} retry={refresh} />}
      </Page>
    )
  return <Known document={data} />
}

function Known({ document }: { document: Document }) {
  const goOn = useGo()
  const { id, knowledgeBaseId, fileId, status, error } = document
  const base = useBase(knowledgeBaseId).data
  const [isDeleting, setDeleting] = useState(false)
  const again = useAction(async () => answered(`document ${id}`, await postern.documents.index(id)))
  const back = to(`/knowledge/${knowledgeBaseId}`)
  useActions([{ label: 'Index the document again', run: () => void again.run() }])
  return (
    <Page
      title={textOf(document.name)}
      back={{ href: back, label: base === undefined ? 'Knowledge base' : textOf(base.name) }}
      mark={<Status of={status} />}
      lead={`${count(document.chunks, 'passage')} of it can be found.`}
      actions={
        <>
          <Button icon="retry" busy={again.isBusy} onPress={() => void again.run()}>
            Index again
          </Button>
          <Button kind="danger" icon="trash" onPress={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <Failed failure={again.failure} />
      {error !== null && status === 'failed' && (
        <Notice tone="bad" icon="alert" title="It could not be indexed">
          {textOf(error.message)} (<code>{textOf(error.code)}</code>). What an earlier indexing made of it, if
          any, is found still.
        </Notice>
      )}
      <Panel title="Facts">
        <Facts
          rows={[
            ['Id', <IdText key="id" id={id} />],
            fileId !== null && [
              'File',
              <a key="file" href={to(`/files/${fileId}`)}>
                Its bytes and its text
              </a>,
            ],
            ['Characters', number(document.chars)],
            [
              'Vectors by',
              document.embedding === null ? 'none: it is found by its words' : textOf(document.embedding),
            ],
            ['SHA-256', <IdText key="sha" id={document.sha256} what="digest" />],
            ['Added', <ExactTime key="made" at={document.createdAt} />],
            ['Indexed', <ExactTime key="indexed" at={document.indexedAt} />],
          ]}
        />
      </Panel>
      {isDeleting && (
        <DeleteDocument
          document={document}
          done={() => goOn(back, { replace: true })}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}
