import { useRef } from 'preact/hooks'
import type { Document, StoredFile } from '#sdk/postern.ts'
import { answered, outdate, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Waiting } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { uploadAll } from '../files/uploads.ts'
import { DocumentTextField } from './text-field.tsx'

async function replace(
  { id, knowledgeBaseId }: Document,
  body: Parameters<typeof postern.documents.replace>[1],
) {
  answered(`document ${id}`, await postern.documents.replace(id, body))
  outdate(`documents ${knowledgeBaseId}`)
}

/** Replaces a document by another text, or by a file. */
export function Replace({ document, onClose }: { document: Document; onClose: () => void }) {
  const { id, fileId, indexedAt } = document
  const key = fileId === null ? `document-text ${id} ${indexedAt}` : undefined
  const { data, failure } = useData(key, (how) => postern.documents.text(id, {}, how))
  const chooser = useRef<HTMLInputElement>(null)
  const isLong = data !== undefined && data.nextCursor !== null
  const text = data === undefined || isLong ? '' : (data.text ?? '')
  return (
    <Dialog title="Replace the document" onClose={onClose} wide>
      <div class="stack">
        <p class="small quiet">
          What it is now is found until the new content is indexed, and stays if that fails.
        </p>
        <div class="row">
          <Button icon="upload" onPress={() => chooser.current?.click()}>
            By a file
          </Button>
          <span class="small quiet">It gets the name of the file.</span>
        </div>
        <input
          ref={chooser}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            uploadAll(currentTarget.files ?? [], ({ id: file }: StoredFile) => {
              replace(document, { fileId: file }).catch(() => {
                toast('The file is there, but could not replace the document: the base may have it already')
              })
            })
            onClose()
          }}
        />
        {key !== undefined && data === undefined && failure === undefined ? (
          <Waiting lines={8} />
        ) : (
          <>
            {isLong && (
              <p class="small quiet">
                The present text is too long to edit here. Enter the whole new text, or replace it by a file.
              </p>
            )}
            <ByText document={document} text={text} onClose={onClose} />
          </>
        )}
      </div>
    </Dialog>
  )
}

function ByText({ document, text, onClose }: { document: Document; text: string; onClose: () => void }) {
  const form = useForm({ name: document.name, text }, async (values) => {
    await replace(document, { name: values.name.trim(), text: values.text })
    onClose()
  })
  return (
    <Form of={form} action="Replace it" onCancel={onClose} onlyChanged>
      <TextField of={form} name="name" label="Name" />
      <DocumentTextField of={form} />
    </Form>
  )
}
