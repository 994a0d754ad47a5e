import { useState } from 'preact/hooks'
import type { AuditEntry } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { since } from '../../parts/span.ts'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { actionWords, Entry } from '../audit/entry.tsx'
import { operator } from './operator.ts'

const NONE = { organizationId: '', actor: '', action: '', target: '', since: '' }

/** Who did what in all organizations, and from where. */
export function AllAudit() {
  const [filter, setFilter] = useState(NONE)
  const [open, setOpen] = useState<AuditEntry | undefined>()
  const { since: span, ...ids } = filter
  const given = Object.fromEntries(
    Object.entries(ids)
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value !== ''),
  )
  const list = useList<AuditEntry>(`operator/audit ${JSON.stringify(filter)}`, (how) =>
    operator.operator.auditLog({ ...given, since: since(span), limit: 50 }, how),
  )
  return (
    <Panel title="Audit log of all organizations" flush>
      <Filters
        rows={[
          { name: 'organizationId', label: 'Organization', kind: 'text', placeholder: 'org_…' },
          { name: 'actor', label: 'Who', kind: 'text', placeholder: 'acc_…' },
          { name: 'action', label: 'Action', kind: 'text', placeholder: 'member.removed' },
          { name: 'target', label: 'Target', kind: 'text', placeholder: 'an ID' },
          { name: 'since', label: 'When', kind: 'span' },
        ]}
        values={filter}
        onChange={(changed) => setFilter({ ...filter, ...changed })}
      />
      <ListTable
        label="Audit log"
        noun={['entry', 'entries']}
        list={list}
        keyOf={({ id }) => id}
        rowKeys={[{ keys: 'Enter', label: 'Open the entry', run: setOpen }]}
        empty={<Empty icon="audit" title="No matching entries" />}
        columns={[
          {
            title: 'What',
            cell: ({ action, targetId }) => (
              <div class="person">
                <span class="person-name">{actionWords(action)}</span>
                <code class="small quiet">{textOf(targetId)}</code>
              </div>
            ),
          },
          {
            title: 'Who',
            cell: ({ actorId, organizationId }) => (
              <div class="person">
                <code class="small">{textOf(actorId ?? 'the server')}</code>
                <code class="small quiet">{textOf(organizationId ?? 'no organization')}</code>
              </div>
            ),
          },
          { title: 'From', tight: true, minor: true, cell: ({ ip }) => <code>{textOf(ip)}</code> },
          { title: 'When', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'More',
            tight: true,
            end: true,
            cell: (entry) => (
              <Button small kind="quiet" icon="right" label="Show details" onPress={() => setOpen(entry)} />
            ),
          },
        ]}
      />
      {open && (
        <Entry of={open} who={textOf(open.actorId ?? 'the server')} onClose={() => setOpen(undefined)} />
      )}
    </Panel>
  )
}
