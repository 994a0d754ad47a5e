import { useState } from 'preact/hooks'
import type { StoredFile } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { bytes } from '../../app/amounts.ts'
import { answered, outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Failed, Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { ActorName } from '../people/actor-name.tsx'
import { useOwn } from '../work/own.ts'
import { CHARSETS, kindOf, useFile, useLiveFiles } from './data.ts'
import { warningsOf } from './sentences.ts'
import { Text } from './text.tsx'

const BACK = () => ({ href: to('/files'), label: 'Files' })

/** One file: its details and its text. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data: file, failure, refresh } = useFile(id)
  useLiveFiles()
  if (file === undefined)
    return (
      <Page title="File" back={BACK()}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known file={file} />
}

function Known({ file }: { file: StoredFile }) {
  const goOn = useGo()
  const { id, status, error } = file
  const [isDeleting, setDeleting] = useState(false)
  const reason = useOwn(file.createdBy, 'files:write', 'files:all')
  const isReading = status === 'processing'
  const saving = useAction(() => save(file))
  const again = useAction(async (charset?: string) => {
    answered(`file ${id}`, await postern.files.process(id, { charset }))
    outdate('files')
  })
  const mayNot = useAccess().reason({ permission: 'files:write' })
  const isBusy = mayNot ?? (isReading ? 'The file is being processed' : undefined)
  useActions([
    { label: 'Download the file', run: () => void saving.run() },
    { label: 'Extract the text again', run: () => void again.run(), reason: isBusy },
    { label: 'Delete the file', run: () => setDeleting(true), reason },
  ])
  return (
    <Page
      title={textOf(file.name)}
      back={BACK()}
      mark={<Status of={status} words={isReading ? 'processing' : undefined} />}
      lead={`${kindOf(file.mediaType)}, ${bytes(file.sizeBytes)}`}
      actions={
        <>
          <Button kind="primary" icon="export" busy={saving.isBusy} onPress={() => void saving.run()}>
            Download
          </Button>
          <Button icon="retry" busy={again.isBusy} reason={isBusy} onPress={() => void again.run()}>
            Extract again
          </Button>
          <Menu
            label="More"
            items={[
              { label: 'Delete the file', icon: 'trash', danger: true, reason, run: () => setDeleting(true) },
            ]}
          />
        </>
      }
    >
      <Failed failure={saving.failure ?? again.failure} />
      {error !== null && !isReading && (
        <Notice
          tone={status === 'failed' ? 'bad' : 'wait'}
          icon="alert"
          title={status === 'failed' ? 'No text' : 'The last extraction failed'}
        >
          {textOf(error.message)} (<code>{textOf(error.code)}</code>
          {status === 'failed'
            ? '). The file itself is kept.'
            : '). The text of an earlier extraction is shown below.'}
        </Notice>
      )}
      {!isReading && <Warned file={file} reread={(charset) => void again.run(charset)} />}
      <div class="work-columns">
        <Text file={file} />
        <div class="work-aside">
          <Panel title="Details">
            <Facts
              rows={[
                ['ID', <IdText key="id" id={id} />],
                ['Media type', <code key="type">{textOf(file.mediaType)}</code>],
                ['Size', `${number(file.sizeBytes)} bytes`],
                file.textChars !== null && [
                  'Text',
                  `${number(file.textChars)} characters${file.textTruncated ? ', cut off' : ''}`,
                ],
                ['SHA-256', <IdText key="sha" id={file.sha256} what="digest" />],
                ['Added', <ExactTime key="made" at={file.createdAt} />],
                ['Read', <ExactTime key="read" at={file.processedAt} />],
                ['Added by', <ActorName key="by" id={file.createdBy} />],
              ]}
            />
          </Panel>
        </div>
      </div>
      {isDeleting && (
        <Confirm
          title="Delete this file?"
          action="Delete"
          danger
          work={async () => {
            await postern.files.delete(id)
            outdate('files')
            outdate('documents')
            toast('File deleted')
            goOn(to('/files'), { replace: true })
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            <strong>{textOf(file.name)}</strong>, its text and the documents made from it are deleted. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </Page>
  )
}

/** Warnings about the text. Where the encoding was guessed, or could not be, the person can choose another one. */
function Warned({ file, reread }: { file: StoredFile; reread: (charset: string) => void }) {
  const { charset, warnings, error } = file
  const isGuess = error?.reason === 'encoding' || warnings.some(({ code }) => code.startsWith('charset_'))
  if (!isGuess && charset === null && warnings.length === 0) return null
  return (
    <Notice {...(isGuess && { tone: 'wait' as const, icon: 'alert' as const })} title="Extraction">
      {warningsOf(file).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {(isGuess || charset !== null) && (
        <label>
          Encoding{' '}
          <select value={charset ?? ''} onChange={(event) => reread(event.currentTarget.value)}>
            <option value="" disabled>
              another encoding
            </option>
            {[...new Set([...(charset === null ? [] : [charset]), ...CHARSETS])].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
    </Notice>
  )
}

/** Downloads the bytes of the file. */
async function save({ id, name }: StoredFile): Promise<void> {
  const answer = await postern.files.content(id)
  const address = URL.createObjectURL(await answer.blob())
  const link = Object.assign(document.createElement('a'), { href: address, download: textOf(name) })
  link.click()
  URL.revokeObjectURL(address)
}
