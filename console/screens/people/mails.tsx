import type { Mail } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { ExportCsv } from '../../parts/export.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { since } from '../../parts/span.ts'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { addressesOf } from './invitations-data.ts'
import { MailTruth } from './mail-truth.tsx'

const STATES = [
  ['queued', 'waits'],
  ['sent', 'sent'],
  ['failed', 'failed'],
] as const

/** The mails of the organization, without their text, because it contains live links. */
export function Screen() {
  const [filter, change] = useFilters(['status', 'to', 'since'])
  const query = {
    status: (filter.status || undefined) as Mail['status'] | undefined,
    to: addressesOf(filter.to)[0],
    since: since(filter.since),
  }
  const key = `mails ${JSON.stringify({ ...query, since: filter.since })}`
  const list = useList<Mail>(key, (how) => postern.mails.list({ ...query, limit: 50 }, how))
  useLive(['invitation'], () => outdate('mails'))
  return (
    <Page
      title="Mails"
      lead="The mails of this organization and the response of the mail server."
      back={{ href: to('/invitations'), label: 'Invitations' }}
      actions={<ExportCsv path="/v1/mails" query={query} name="mails" />}
    >
      <Filters
        rows={[
          { name: 'status', label: 'Status', kind: 'choice', options: STATES },
          { name: 'to', label: 'To', kind: 'text', placeholder: 'the whole address' },
          { name: 'since', label: 'When', kind: 'span' },
        ]}
        values={filter}
        onChange={change}
      />
      <Panel flush>
        <ListTable
          label="Mails"
          noun={['mail', 'mails']}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="send" title="No matching mails">
              <p>Sent invitations are listed here.</p>
            </Empty>
          }
          columns={[
            { title: 'To', cell: ({ to: address }) => textOf(address) },
            { title: 'Subject', minor: true, cell: ({ subject }) => textOf(subject) },
            { title: 'Mail', cell: (mail) => <MailTruth of={mail} /> },
            { title: 'Created', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: 'About',
              tight: true,
              end: true,
              cell: ({ invitationId }) =>
                invitationId === null ? (
                  <span class="quiet">–</span>
                ) : (
                  <a href={to(`/invitations/${textOf(invitationId)}`)}>Invitation</a>
                ),
            },
          ]}
        />
      </Panel>
    </Page>
  )
}
