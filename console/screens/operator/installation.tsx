import { useEffect } from 'preact/hooks'
import type { Finding, Installation } from '#sdk/postern.ts'
import { bytes } from '../../app/amounts.ts'
import { every, SECOND } from '../../app/clock.ts'
import { useData } from '../../app/data/cache.ts'
import { useStore } from '../../app/store.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { open, operator, token } from './operator.ts'
import { Organizations } from './organizations.tsx'

/** The whole installation, for whoever runs it: what waits, who works, what the doctor finds, and all organizations. */
export function Screen() {
  const known = useStore(token)
  return (
    <Page
      title="Installation"
      lead="For whoever runs this server: all organizations, and what waits."
      actions={
        known !== undefined && (
          <Button icon="lock" onPress={() => token.set(undefined)}>
            Forget the token
          </Button>
        )
      }
    >
      {known === undefined ? <Door /> : <Inside />}
    </Page>
  )
}

/** Takes the token, and tries it before it is kept. */
function Door() {
  const form = useForm({ token: '' }, (values) => open(values.token.trim()))
  const isAbsent = form.failure?.status === 404
  return (
    <Panel title="The operator’s token">
      <Form of={form} action="Open">
        <TextField
          of={form}
          name="token"
          label="Token"
          type="password"
          mono
          hint="What OPERATOR_TOKEN is set to. It is kept while this page is open, and nowhere else."
        />
      </Form>
      {isAbsent && (
        <Notice icon="server" title="This server has no operator’s token">
          Set one, and start it anew:
        </Notice>
      )}
      {isAbsent && <Command text={'OPERATOR_TOKEN="$(openssl rand -hex 32)" npm start'} />}
    </Panel>
  )
}

function Inside() {
  const { data, failure, refresh } = useData<Installation>('operator/installation', (how) =>
    operator.operator.installation(how),
  )
  useEffect(() => every(10 * SECOND, refresh), [])
  if (data === undefined)
    return failure ? <Failed failure={failure} retry={refresh} /> : <Waiting lines={6} />
  const { deliveries, mails, workers, disk } = data
  const waiting = [{ kind: 'deliveries', ...deliveries }, ...data.jobs]
  return (
    <>
      <Failed failure={failure} retry={refresh} />
      <Panel>
        <div class="figures">
          <Figure
            name="Version"
            value={textOf(data.version)}
            note={`${textOf(data.engine)}, schema ${data.schemaVersion}`}
          />
          <Figure name="Organizations" value={number(data.organizations)} />
          <Figure
            name="Deliveries that wait"
            value={number(deliveries.due + deliveries.scheduled)}
            note={`${number(deliveries.held)} held, ${number(deliveries.unwritten)} not written yet`}
          />
          <Figure
            name="Mails that wait"
            value={number(mails.queued)}
            note={mails.isConfigured ? `${number(mails.failed)} failed` : 'no mail server is set'}
          />
          <Figure name="Disk" value={bytes(disk.freeBytes)} note="free" />
          <Figure name="Workers" value={number(workers.length)} note={`this is ${textOf(data.role)}`} />
        </div>
      </Panel>
      <Findings />
      <Panel title="What waits" flush>
        <Table
          label="What waits"
          rows={waiting}
          keyOf={({ kind }) => kind}
          columns={[
            { title: 'Work', cell: ({ kind }) => textOf(kind).replaceAll('_', ' ') },
            { title: 'Due', end: true, tight: true, cell: ({ due }) => number(due) },
            { title: 'Later', end: true, tight: true, cell: ({ scheduled }) => number(scheduled) },
            { title: 'Under way', end: true, tight: true, cell: ({ claimed }) => number(claimed) },
            { title: 'Oldest', tight: true, cell: ({ oldestDueAt }) => <Time at={oldestDueAt} /> },
          ]}
        />
      </Panel>
      <Panel title="Workers" flush>
        <Table
          label="Workers"
          rows={workers.map((worker, at) => ({ ...worker, at }))}
          keyOf={({ at }) => String(at)}
          empty={<p class="quiet">Nobody works at present.</p>}
          columns={[
            { title: 'Worker', cell: ({ at }) => `${at + 1}` },
            { title: 'Shards', end: true, tight: true, cell: ({ shards }) => number(shards) },
            {
              title: 'Its claim ends in',
              tight: true,
              cell: ({ aliveUntil }) => <Countdown until={aliveUntil} over="a moment" />,
            },
          ]}
        />
      </Panel>
      <Organizations />
    </>
  )
}

const LEVELS = { ok: 'good', warning: 'wait', problem: 'bad' } as const

/** What the doctor says of the server that runs. */
function Findings() {
  const { data, failure, isBusy, refresh } = useData<Finding[]>(
    'operator/findings',
    async (how) => (await operator.operator.findings(how).page()).data,
  )
  const rows = (data ?? []).toSorted((a, b) => weight(b) - weight(a))
  return (
    <Panel title="The doctor’s findings" note="Asked at most once a minute." flush>
      {failure && <Failed failure={failure} retry={refresh} />}
      <Table
        label="Findings"
        rows={rows.map((row, at) => ({ ...row, at }))}
        keyOf={({ at }) => String(at)}
        isBusy={isBusy}
        columns={[
          {
            title: 'How',
            tight: true,
            cell: ({ level }) => <Badge tone={LEVELS[level] ?? 'plain'}>{textOf(level)}</Badge>,
          },
          { title: 'What', tight: true, cell: ({ what }) => textOf(what) },
          { title: 'Finding', cell: ({ text }) => textOf(text) },
        ]}
      />
    </Panel>
  )
}

const weight = ({ level }: Finding) => ['ok', 'warning', 'problem'].indexOf(level)
