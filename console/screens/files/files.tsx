import { useRef, useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { bytes } from '../../app/amounts.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import { shortNumber, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Steps } from '../work/steps.tsx'
import { kindOf, useFiles, useLiveFiles } from './data.ts'
import { FromUrl } from './from-url.tsx'
import { DropPlace, Uploading } from './uploading.tsx'
import { uploadAll } from './uploads.ts'

/** Every file of the organization, those on their way first. */
export function Screen() {
  const list = useFiles()
  const chooser = useRef<HTMLInputElement>(null)
  const [isFetching, setFetching] = useState(false)
  const reason = useAccess().reason({ permission: 'files:write' })
  const choose = () => chooser.current?.click()
  useLiveFiles()
  useActions([
    { label: 'Upload files', run: choose, reason },
    { label: 'Fetch a file from a URL', run: () => setFetching(true), reason },
  ])
  const buttons = (
    <>
      <Button kind="primary" icon="upload" reason={reason} onPress={choose}>
        Upload
      </Button>
      <Button icon="link" reason={reason} onPress={() => setFetching(true)}>
        From a URL
      </Button>
    </>
  )
  return (
    <Page
      title="Files"
      lead="The text of each file is extracted. Drop files anywhere on this page."
      actions={buttons}
    >
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          uploadAll(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
      {reason === undefined && <DropPlace onFiles={uploadAll} />}
      <Uploading />
      <Panel flush>
        <ListTable
          label="Files"
          noun={['file', 'files']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/files/${id}`)}
          empty={
            <Empty icon="file" title="No file yet">
              <Steps at="file" />
              <p>Drop a file here, press Upload, or send one from a terminal:</p>
              <Command
                text={`curl "${baseUrl}/v1/files?name=report.pdf" \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/pdf" \\
  --data-binary @report.pdf`}
              />
            </Empty>
          }
          columns={[
            {
              title: 'Name',
              cell: (file) => (
                <span class="work-two">
                  <span>{textOf(file.name)}</span>
                  <span class="small quiet">{textOf(kindOf(file.mediaType))}</span>
                </span>
              ),
            },
            {
              title: 'Text',
              tight: true,
              cell: (file) => (
                <span class="work-two">
                  <Status of={file.status} words={file.status === 'processing' ? 'processing' : undefined} />
                  {file.status === 'failed' && <span class="small quiet">{textOf(file.error?.message)}</span>}
                </span>
              ),
            },
            {
              title: 'Characters',
              tight: true,
              end: true,
              minor: true,
              cell: ({ textChars }) => (textChars === null ? '–' : shortNumber(textChars)),
            },
            { title: 'Size', tight: true, end: true, cell: ({ sizeBytes }) => bytes(sizeBytes) },
            { title: 'Added', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      </Panel>
      {isFetching && <FromUrl onClose={() => setFetching(false)} />}
    </Page>
  )
}
