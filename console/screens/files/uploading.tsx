import { useEffect, useState } from 'preact/hooks'
import { bytes } from '../../app/amounts.ts'
import { organizationId } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { explain, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { Panel } from '../../parts/page.tsx'
import { dropUpload, retryUpload, type Upload, uploads } from './uploads.ts'

/** Uploads in progress, and failed ones. */
export function Uploading() {
  const own = useStore(uploads).filter(({ organization }) => organization === organizationId())
  if (own.length === 0) return null
  return (
    <Panel title="Uploads">
      <ul class="stack">
        {own.map((one) => (
          <One key={one.id} upload={one} />
        ))}
      </ul>
    </Panel>
  )
}

function One({ upload }: { upload: Upload }) {
  const { name, sent, state, failure } = upload
  const { size } = upload.bytes
  const label = textOf(name)
  const words = failure && explain(failure)
  return (
    <li class="files-upload">
      <span>
        {label}
        <span class="small quiet files-upload-note" role={words && 'alert'}>
          {words
            ? `${words.title}. ${words.text}`
            : state === 'waiting'
              ? 'queued'
              : sent < size
                ? `${bytes(sent)} of ${bytes(size)}`
                : 'uploaded, being checked'}
        </span>
      </span>
      {failure === undefined && (
        <div class="progress">
          <progress aria-label={`Upload of ${label}`} value={size === 0 ? 1 : sent / size} max={1} />
        </div>
      )}
      <span class="row">
        {failure && (
          <Button small icon="retry" onPress={() => retryUpload(upload)}>
            Try again
          </Button>
        )}
        <Button
          small
          kind="quiet"
          icon="cross"
          label={failure ? `Remove ${label} from the list` : `Cancel the upload of ${label}`}
          onPress={() => dropUpload(upload)}
        />
      </span>
    </li>
  )
}

/** Takes files that are dropped anywhere on the page. */
export function DropPlace({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    const how = { signal: leaving.signal }
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    addEventListener(
      'dragover',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      how,
    )
    addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), how)
    addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles(event.dataTransfer?.files ?? [])
      },
      how,
    )
    return () => leaving.abort()
  }, [])
  if (!isOver) return null
  return (
    <div class="files-drop" aria-hidden="true">
      <Glyph icon="upload" size={40} />
      <strong>Drop to upload</strong>
    </div>
  )
}
