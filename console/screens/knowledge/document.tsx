import { useState } from 'preact/hooks'
import type { Document } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { answered, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useFilters, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Failed, Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { Uploading } from '../files/uploading.tsx'
import { useBase, useLiveDocuments } from './data.ts'
import { DeleteDocument } from './documents.tsx'

const PagedText = lazy(() => import('../files/text.tsx').then((module) => module.PagedText), 8)
const Passages = lazy(() => import('./passages.tsx').then((module) => module.Passages), 8)
const Replace = lazy(() => import('./replace.tsx').then((module) => module.Replace))

const TABS = [
  { name: 'passages', label: 'Passages' },
  { name: 'text', label: 'Text' },
] as const

/** One document of a base: how its indexing stands. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data, failure, refresh } = useData(`document ${id}`, (how) => postern.documents.read(id, how))
  useLiveDocuments()
  if (data === undefined)
    return (
      <Page title="Document" back={{ href: to('/knowledge'), label: 'Knowledge' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known document={data} />
}

function Known({ document }: { document: Document }) {
  const goOn = useGo()
  const { id, knowledgeBaseId, fileId, status, error, replacement } = document
  const base = useBase(knowledgeBaseId).data
  const [isDeleting, setDeleting] = useState(false)
  const [isReplacing, setReplacing] = useState(false)
  const [{ show }, change] = useFilters(['show'])
  const again = useAction(async () => answered(`document ${id}`, await postern.documents.index(id)))
  const back = to(`/knowledge/${knowledgeBaseId}`)
  const reason = useAccess().reason({ permission: 'documents:write' })
  useActions([
    { label: 'Index the document again', run: () => void again.run(), reason },
    { label: 'Replace the document', run: () => setReplacing(true), reason },
  ])
  return (
    <Page
      title={textOf(document.name)}
      back={{ href: back, label: base === undefined ? 'Knowledge base' : textOf(base.name) }}
      mark={<Status of={status} />}
      lead={`${count(document.chunks, 'passage')} of it can be found.`}
      actions={
        <>
          <Button kind="primary" icon="compose" reason={reason} onPress={() => setReplacing(true)}>
            Replace
          </Button>
          <Button icon="retry" reason={reason} busy={again.isBusy} onPress={() => void again.run()}>
            Index again
          </Button>
          <Button kind="danger" icon="trash" reason={reason} onPress={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <Failed failure={again.failure} />
      <Uploading />
      {replacement !== null && status !== 'failed' && (
        <Notice tone="wait" icon="clock" title="It is being replaced">
          What it is now is found until {textOf(replacement.name)} is indexed.
        </Notice>
      )}
      {error !== null && status === 'failed' && (
        <Notice
          tone="bad"
          icon="alert"
          title={replacement === null ? 'Indexing failed' : 'It could not be replaced'}
        >
          {textOf(error.message)} (<code>{textOf(error.code)}</code>). What was found of it before, if
          anything, is found still.
          {replacement && ` To try ${textOf(replacement.name)} again, index again.`}
        </Notice>
      )}
      <Panel title="Details">
        <Facts
          rows={[
            ['ID', <IdText key="id" id={id} />],
            fileId !== null && [
              'File',
              <a key="file" href={to(`/files/${fileId}`)}>
                Open the file
              </a>,
            ],
            ['Characters', number(document.chars)],
            [
              'Embedding model',
              document.embedding === null ? 'none: found by words only' : textOf(document.embedding),
            ],
            ['SHA-256', <IdText key="sha" id={document.sha256} what="digest" />],
            ['Added', <ExactTime key="made" at={document.createdAt} />],
            ['Indexed', <ExactTime key="indexed" at={document.indexedAt} />],
          ]}
        />
      </Panel>
      <Tabs
        label="What is in it"
        tabs={TABS}
        chosen={show === 'text' ? 'text' : 'passages'}
        onChoose={(name) => change({ show: name === 'text' ? name : '' })}
      >
        {show === 'text' ? (
          <PagedText
            name={`document-text ${id} ${document.indexedAt}`}
            label="Text of the document"
            chars={document.chars}
            read={(cursor, how) => postern.documents.text(id, cursor, how)}
          />
        ) : (
          <Passages document={document} />
        )}
      </Tabs>
      {isReplacing && <Replace document={document} onClose={() => setReplacing(false)} />}
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
