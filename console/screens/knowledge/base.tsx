import { useState } from 'preact/hooks'
import type { KnowledgeBase } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Loading } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { DropPlace, Uploading } from '../files/uploading.tsx'
import { uploadAll } from '../files/uploads.ts'
import { AddFiles, AddText, addTo } from './add.tsx'
import { useBase, useLiveDocuments } from './data.ts'
import { Documents } from './documents.tsx'
import { Search } from './search.tsx'

/** One knowledge base: its documents, and a search over them. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data: base, failure, refresh } = useBase(id)
  useLiveDocuments()
  if (base === undefined)
    return (
      <Page title="Knowledge base" back={{ href: to('/knowledge'), label: 'Knowledge' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known base={base} />
}

function Known({ base }: { base: KnowledgeBase }) {
  const goOn = useGo()
  const { id, documents, chunks, embedding } = base
  const name = textOf(base.name)
  const access = useAccess()
  const reason = access.reason({ permission: 'knowledge:write' })
  const mayNotAdd = access.reason({ permission: 'documents:write' })
  const [open, setOpen] = useState<'text' | 'file' | 'rename' | 'delete' | undefined>()
  const close = () => setOpen(undefined)
  useActions([
    { label: 'Add files to the knowledge base', run: () => setOpen('file'), reason: mayNotAdd },
    { label: 'Add text to the knowledge base', run: () => setOpen('text'), reason: mayNotAdd },
  ])
  return (
    <Page
      title={name}
      back={{ href: to('/knowledge'), label: 'Knowledge' }}
      lead={`${count(documents, 'document')}, ${count(chunks, 'passage')}, found by their words${embedding === null ? '' : ` and by ${textOf(embedding)}`}.`}
      actions={
        <>
          <Button kind="primary" icon="plus" reason={mayNotAdd} onPress={() => setOpen('file')}>
            Add files
          </Button>
          <Button icon="compose" reason={mayNotAdd} onPress={() => setOpen('text')}>
            Add text
          </Button>
          <Menu
            label="More"
            items={[
              { label: 'Rename', icon: 'compose', reason, run: () => setOpen('rename') },
              {
                label: 'Delete the knowledge base',
                icon: 'trash',
                danger: true,
                reason,
                run: () => setOpen('delete'),
              },
            ]}
          />
        </>
      }
    >
      {mayNotAdd === undefined && access.may('files:write') && (
        <DropPlace onFiles={(files) => uploadAll(files, addTo(id))} />
      )}
      <Uploading />
      {documents > 0 && <Search baseId={id} />}
      <Documents baseId={id} onFiles={() => setOpen('file')} />
      {open === 'text' && <AddText baseId={id} onClose={close} />}
      {open === 'file' && <AddFiles baseId={id} onClose={close} />}
      {open === 'rename' && <Rename base={base} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this knowledge base?"
          action="Delete"
          danger
          name={name}
          work={async () => {
            await postern.knowledgeBases.delete(id)
            outdate('bases')
            toast('Knowledge base deleted')
            goOn(to('/knowledge'), { replace: true })
          }}
          onClose={close}
        >
          <p>
            Its {count(documents, 'document')} are deleted. The files they were made from are kept. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </Page>
  )
}

function Rename({ base, onClose }: { base: KnowledgeBase; onClose: () => void }) {
  const form = useForm({ name: base.name }, async ({ name }) => {
    put(`base ${base.id}`, await postern.knowledgeBases.update(base.id, { name: name.trim() }))
    outdate('bases')
    onClose()
  })
  return (
    <Dialog title="Rename the knowledge base" onClose={onClose}>
      <Form of={form} action="Rename" onCancel={onClose} onlyChanged>
        <TextField of={form} name="name" label="Name" />
      </Form>
    </Dialog>
  )
}
