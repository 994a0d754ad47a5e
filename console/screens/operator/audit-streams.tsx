import { useEffect, useState } from 'preact/hooks'
import type { AuditStream, CreatedAuditStream, RotateAuditStreamSecretAnswer } from '#sdk/postern.ts'
import { every, SECOND } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { number, textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { AreaField, Form, linesOf, TextField, useForm } from '../../parts/form.tsx'
import type { Icon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Url } from '../../parts/url.tsx'
import { operator } from './operator.ts'

type What = 'test' | 'status' | 'rotate' | 'delete'
type Asked = { what: 'create' } | { what: What; stream: AuditStream }
type Secret = CreatedAuditStream | RotateAuditStreamSecretAnswer

const changed = () => outdate('operator/audit-streams')

/** Destinations of the audit log of all organizations, such as a SIEM. */
export function AuditStreams() {
  const list = useList<AuditStream>('operator/audit-streams', (how) => operator.auditStreams.list(how))
  useEffect(() => every(10 * SECOND, list.refresh), [])
  const [asked, ask] = useState<Asked | undefined>()
  const [secret, setSecret] = useState<Secret | undefined>()
  const close = () => ask(undefined)
  const show = (made: Secret) => {
    changed()
    close()
    setSecret(made)
  }
  return (
    <Panel
      title="Streams of the audit log"
      note="Every later entry is posted as signed lines of JSON, for example to a SIEM."
      flush
      actions={
        <Button small icon="plus" onPress={() => ask({ what: 'create' })}>
          New stream
        </Button>
      }
    >
      <ListTable
        label="Streams of the audit log"
        noun={['stream', 'streams']}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="send" title="No streams yet">
            <p>With one, every entry of the audit log is also sent to a URL.</p>
          </Empty>
        }
        columns={[
          { title: 'Name', cell: (stream) => <Name of={stream} /> },
          { title: 'Status', tight: true, cell: (stream) => <Standing of={stream} /> },
          {
            ...{ title: 'Unsent', tight: true, end: true },
            cell: ({ unsent }) => `${number(unsent.count)}${unsent.atLeast ? ' or more' : ''}`,
          },
          { title: 'Sent', tight: true, end: true, minor: true, cell: ({ sent }) => number(sent) },
          { title: 'Last sent', tight: true, cell: ({ lastSentAt }) => <Time at={lastSentAt} /> },
          { title: 'Actions', tight: true, end: true, cell: (stream) => <Actions of={stream} ask={ask} /> },
        ]}
      />
      {asked?.what === 'create' && <NewStream onClose={close} onMade={show} />}
      {asked && asked.what !== 'create' && <Ask {...asked} onClose={close} onSecret={show} />}
      {secret && (
        <SecretOnce
          title={`The stream ${textOf(secret.name)}`}
          secret={secret.secret}
          what="signing secret"
          onClose={() => setSecret(undefined)}
        />
      )}
    </Panel>
  )
}

function Name({ of: { name, url } }: { of: AuditStream }) {
  return (
    <div class="person">
      <span class="person-name">{textOf(name)}</span>
      <span class="small quiet">
        <Url of={url} />
      </span>
    </div>
  )
}

function Standing({ of: { status, lastError, failingSince, lost } }: { of: AuditStream }) {
  return (
    <div>
      <Status of={status} />
      {status === 'failing' && (
        <div class="small quiet">
          {textOf(lastError)}, since <Time at={failingSince} />
        </div>
      )}
      {lost > 0 && <div class="small quiet">{number(lost)} lost</div>}
    </div>
  )
}

function Actions({ of: stream, ask }: { of: AuditStream; ask: (asked: Asked) => void }) {
  const isPaused = stream.status === 'paused'
  const item = (what: What, label: string, icon: Icon) => ({ label, icon, run: () => ask({ what, stream }) })
  return (
    <Menu
      small
      label={`More for ${textOf(stream.name)}`}
      items={[
        item('test', 'Send a sample', 'send'),
        item('status', isPaused ? 'Resume' : 'Pause', isPaused ? 'run' : 'pause'),
        item('rotate', 'New secret', 'retry'),
        { ...item('delete', 'Delete', 'trash'), danger: true },
      ]}
    />
  )
}

/** The headers of a text with one a line, as `Name: value`. */
function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.trim(), value.join(':').trim()]
    }),
  )
}

function NewStream({ onClose, onMade }: { onClose: () => void; onMade: (made: Secret) => void }) {
  const form = useForm({ name: '', url: '', headers: '' }, async ({ name, url, headers }) =>
    onMade(
      await operator.auditStreams.create({ name: name.trim(), url: url.trim(), headers: headersOf(headers) }),
    ),
  )
  return (
    <Dialog title="New stream of the audit log" onClose={onClose}>
      <Form of={form} action="Create stream" onCancel={onClose}>
        <TextField of={form} name="name" label="Name" placeholder="SIEM" />
        <TextField
          of={form}
          name="url"
          label="URL"
          mono
          hint="It may be in a private network."
          placeholder="https://siem.example.com/postern"
        />
        <AreaField
          of={form}
          name="headers"
          label="Headers"
          rows={2}
          mono
          optional
          hint="One a line, such as Authorization: Splunk …; their values are not shown again."
        />
      </Form>
    </Dialog>
  )
}

interface Words {
  title: string
  action: string
  text: string
  name?: string
  danger?: true
}

/** What each dialog says about a stream. */
const WORDS: Record<What, (name: string, isPaused: boolean) => Words> = {
  test: (name) => ({
    title: `Send a sample to ${name}?`,
    action: 'Send',
    text: 'One entry with the action audit_stream.tested, which is in no audit log.',
  }),
  status: (name, isPaused) => ({
    title: isPaused ? `Resume ${name}?` : `Pause ${name}?`,
    action: isPaused ? 'Resume' : 'Pause',
    text: isPaused ? 'Entries that waited are sent first.' : 'Entries wait until it is resumed.',
  }),
  rotate: (name) => ({
    title: `Give ${name} a new secret?`,
    action: 'New secret',
    text: 'For 24 hours the present secret signs as well, so that your receiver can change.',
  }),
  delete: (name) => ({
    ...{ title: `Delete ${name}?`, action: 'Delete', name, danger: true },
    text: 'Entries that were not sent are not sent any more. The audit log itself stays.',
  }),
}

/** Asks before something is done with a stream, and does it. */
function Ask({
  what,
  stream,
  onClose,
  onSecret,
}: {
  what: What
  stream: AuditStream
  onClose: () => void
  onSecret: (made: Secret) => void
}) {
  const name = textOf(stream.name)
  const isPaused = stream.status === 'paused'
  const { text, ...words } = WORDS[what](name, isPaused)
  const works: Record<What, () => Promise<unknown>> = {
    async test() {
      const { taken, status, reason } = await operator.auditStreams.test(stream.id)
      toast(taken ? `${name} took the sample: ${status}` : `${name} refused the sample: ${textOf(reason)}`)
    },
    status: () => operator.auditStreams.update(stream.id, { paused: !isPaused }),
    rotate: async () => onSecret(await operator.auditStreams.rotateSecret(stream.id)),
    async delete() {
      await operator.auditStreams.delete(stream.id)
      toast(`${name} is deleted`)
    },
  }
  return (
    <Confirm
      {...words}
      work={async () => {
        await works[what]()
        changed()
      }}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  )
}
