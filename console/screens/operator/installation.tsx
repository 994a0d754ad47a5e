import { useEffect } from 'preact/hooks'
import type { Finding, Installation } from '#sdk/postern.ts'
import { bytes } from '../../app/amounts.ts'
import { every, SECOND } from '../../app/clock.ts'
import { useData } from '../../app/data/cache.ts'
import { useFilters } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Failed, Loading, Notice } from '../../parts/notice.tsx'
import { Figure, Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { open, operator, token } from './operator.ts'
import { Organizations } from './organizations.tsx'

/** The installation for its operator: backlog, workers, findings of the doctor, and all organizations. */
export function Screen() {
  const known = useStore(token)
  return (
    <Page
      title="Installation"
      lead="For the operator of this server: queues, organizations, accounts, platform keys, applications and the audit log of all."
      actions={
        known !== undefined && (
          <Button icon="lock" onPress={() => token.set(undefined)}>
            Clear the token
          </Button>
        )
      }
    >
      {known === undefined ? <Door /> : <Inside />}
    </Page>
  )
}

/** A form for the operator's token, which is tried before it is kept. */
function Door() {
  const form = useForm({ token: '' }, (values) => open(values.token.trim()))
  const isAbsent = form.failure?.status === 404
  return (
    <Panel title="Operator token">
      <Form of={form} action="Open">
        <TextField
          of={form}
          name="token"
          label="Token"
          type="password"
          mono
          hint="The value of OPERATOR_TOKEN. It is kept only while this page is open."
        />
      </Form>
      {isAbsent && (
        <Notice icon="server" title="This server has no operator token">
          Set one and restart the server:
        </Notice>
      )}
      {isAbsent && <Command text={'OPERATOR_TOKEN="$(openssl rand -hex 32)" npx postern start'} />}
    </Panel>
  )
}

const VIEWS = {
  status: Standing,
  organizations: Organizations,
  accounts: lazy(() => import('./accounts.tsx').then((module) => module.Accounts), 6),
  keys: lazy(() => import('./platform-keys.tsx').then((module) => module.PlatformKeys), 6),
  applications: lazy(() => import('./applications.tsx').then((module) => module.Applications), 6),
  audit: lazy(() => import('./all-audit.tsx').then((module) => module.AllAudit), 6),
  streams: lazy(() => import('./audit-streams.tsx').then((module) => module.AuditStreams), 6),
}
const TABS = [
  { name: 'status', label: 'Status' },
  { name: 'organizations', label: 'Organizations' },
  { name: 'accounts', label: 'Accounts' },
  { name: 'keys', label: 'Platform keys' },
  { name: 'applications', label: 'Applications' },
  { name: 'audit', label: 'Audit log' },
  { name: 'streams', label: 'Audit streams' },
] as const

function Inside() {
  const [{ view }, change] = useFilters(['view'])
  const chosen = Object.hasOwn(VIEWS, view) ? (view as keyof typeof VIEWS) : 'status'
  const View = VIEWS[chosen]
  return (
    <Tabs label="Installation" tabs={TABS} chosen={chosen} onChoose={(name) => change({ view: name })}>
      <View />
    </Tabs>
  )
}

/** What waits, who works on it, and what the doctor finds. */
function Standing() {
  const { data, failure, refresh } = useData<Installation>('operator/installation', (how) =>
    operator.operator.installation(how),
  )
  useEffect(() => every(10 * SECOND, refresh), [])
  if (data === undefined) return <Loading failure={failure} retry={refresh} lines={6} />
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
            name="Pending deliveries"
            value={number(deliveries.due + deliveries.scheduled)}
            note={`${number(deliveries.held)} held, ${number(deliveries.unwritten)} not written yet`}
          />
          <Figure
            name="Pending mails"
            value={number(mails.queued)}
            note={mails.isConfigured ? `${number(mails.failed)} failed` : 'no mail server configured'}
          />
          <Figure name="Disk" value={bytes(disk.freeBytes)} note="free" />
          <Figure name="Workers" value={number(workers.length)} note={`this is ${textOf(data.role)}`} />
        </div>
      </Panel>
      <Findings />
      <Panel title="Queues" flush>
        <Table
          label="Queues"
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
          empty={<p class="quiet">No worker is running.</p>}
          columns={[
            { title: 'Worker', cell: ({ at }) => `${at + 1}` },
            {
              title: 'Claim ends in',
              tight: true,
              cell: ({ aliveUntil }) => <Countdown until={aliveUntil} over="a moment" />,
            },
          ]}
        />
      </Panel>
    </>
  )
}

const LEVELS = { ok: 'good', warning: 'wait', problem: 'bad' } as const

/** The findings of the doctor about the running server. */
function Findings() {
  const { data, failure, isBusy, refresh } = useData<Finding[]>(
    'operator/findings',
    async (how) => (await operator.operator.findings(how).page()).data,
  )
  const rows = (data ?? []).toSorted((a, b) => weight(b) - weight(a))
  return (
    <Panel title="Doctor" note="Checked at most once per minute." flush>
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
