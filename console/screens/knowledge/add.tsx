import { useRef, useState } from 'preact/hooks'
import { isCode } from '#sdk/errors.ts'
import { bytes } from '../../app/amounts.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { count, textOf } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoicesField, Form, TextField, useForm } from '../../parts/form.tsx'
import { Pager } from '../../parts/pager.tsx'
import { toast } from '../../parts/toast.tsx'
import { kindOf, useFiles } from '../files/data.ts'
import { uploadAll } from '../files/uploads.ts'
import { DocumentTextField } from './text-field.tsx'

function changed(baseId: string): void {
  outdate(`documents ${baseId}`)
  outdate(`base ${baseId}`)
  outdate('bases')
}

/** Adds a file that has just arrived. */
export function addTo(baseId: string) {
  return async ({ id: fileId }: { id: string }) => {
    await postern.knowledgeBases.addDocument(baseId, { fileId }).catch(() => {
      toast('The file was uploaded, but could not be added: the knowledge base may have it already')
    })
    changed(baseId)
  }
}

/** Adds a typed or pasted text. */
export function AddText({ baseId, onClose }: { baseId: string; onClose: () => void }) {
  const form = useForm({ name: '', text: '' }, async ({ name, text }) => {
    await postern.knowledgeBases.addDocument(baseId, { name: name.trim(), text })
    changed(baseId)
    onClose()
  })
  return (
    <Dialog title="Add text" onClose={onClose} wide>
      <Form of={form} action="Add" onCancel={onClose}>
        <TextField of={form} name="name" label="Name" placeholder="Terms" />
        <DocumentTextField of={form} />
      </Form>
    </Dialog>
  )
}

/** Adds files that are here already, or new ones. */
export function AddFiles({ baseId, onClose }: { baseId: string; onClose: () => void }) {
  const list = useFiles()
  const chooser = useRef<HTMLInputElement>(null)
  const [done, setDone] = useState(0)
  const form = useForm({ fileIds: [] as string[] }, async ({ fileIds }) => {
    let twice = 0
    setDone(0)
    for (const fileId of fileIds) {
      try {
        await postern.knowledgeBases.addDocument(baseId, { fileId })
      } catch (thrown) {
        // The base has the same bytes already, so nothing is missing.
        if (!isCode(thrown, 'DUPLICATE')) throw thrown
        twice += 1
      } finally {
        changed(baseId)
      }
      setDone((before) => before + 1)
    }
    if (twice > 0) toast(`The base had ${count(twice, 'of them', 'of them')} already`)
    onClose()
  })
  const { fileIds } = form.values
  return (
    <Dialog title="Add files" onClose={onClose} wide>
      <div class="stack">
        <div class="row">
          <Button icon="upload" onPress={() => chooser.current?.click()}>
            Upload files
          </Button>
          <span class="small quiet">They are added after the upload.</span>
        </div>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            uploadAll(currentTarget.files ?? [], addTo(baseId))
            onClose()
          }}
        />
        {list.rows.length > 0 && (
          <Form
            of={form}
            action={fileIds.length === 0 ? 'Add' : `Add ${count(fileIds.length, 'file')}`}
            reason={fileIds.length === 0 ? 'Select files first' : undefined}
            onCancel={onClose}
          >
            <ChoicesField
              of={form}
              name="fileIds"
              label="Or files of the organization"
              options={list.rows.map(({ id, name, mediaType, sizeBytes }) => ({
                value: id,
                label: textOf(name),
                note: `${textOf(kindOf(mediaType))}, ${bytes(sizeBytes)}`,
              }))}
            />
            {list.hasMore && <Pager list={list} noun={['file', 'files']} />}
            {form.isBusy && <Progress label="Files being added" done={done} total={fileIds.length} />}
          </Form>
        )}
      </div>
    </Dialog>
  )
}
