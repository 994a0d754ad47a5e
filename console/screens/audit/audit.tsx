import { useState } from 'preact/hooks'
import type { AuditEntry } from '#sdk/postern.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { pathOfId } from '../../app/ids.ts'
import { to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { ExportCsv } from '../../parts/export.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { since } from '../../parts/span.ts'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useActorChoices, useNames } from '../people/actors.ts'
import { actionWords, Entry } from './entry.tsx'

/** Who did what in the organization, and from where. */
export function Screen() {
  const [filter, change] = useFilters(['actor', 'action', 'target', 'since'])
  const query = {
    actor: filter.actor || undefined,
    action: filter.action || undefined,
    target: filter.target || undefined,
    since: since(filter.since),
  }
  const list = useList<AuditEntry>(`audit ${JSON.stringify(filter)}`, (how) =>
    postern.auditLog.list({ ...query, limit: 50 }, how),
  )
  const choices = useActorChoices(filter.actor)
  const nameOf = useNames(list.rows.flatMap(({ actorId, targetId }) => [actorId, targetId]))
  const [open, setOpen] = useState<AuditEntry | undefined>()
  const whoOf = (id: string | null) => (id === null ? 'the server' : nameOf(id))
  return (
    <Page
      title="Audit log"
      lead="Who did what in this organization, and from where."
      actions={<ExportCsv path="/v1/audit-log" query={query} name="audit-log" />}
    >
      <Filters
        rows={[
          {
            name: 'actor',
            label: 'Who',
            kind: 'choice',
            options: choices,
          },
          { name: 'action', label: 'Action', kind: 'text', placeholder: 'member.removed' },
          { name: 'target', label: 'Target', kind: 'text', placeholder: 'an ID' },
          { name: 'since', label: 'When', kind: 'span' },
        ]}
        values={filter}
        onChange={change}
      />
      <Panel flush>
        <ListTable
          label="Audit log"
          noun={['entry', 'entries']}
          list={list}
          keyOf={({ id }) => id}
          rowKeys={[{ keys: 'Enter', label: 'Open the entry', run: setOpen }]}
          empty={
            <Empty icon="audit" title="No matching entries">
              <p>
                Sign-ins, invitations, changes and deletions are listed here for as long as the operator keeps
                them.
              </p>
            </Empty>
          }
          columns={[
            {
              title: 'What',
              cell: (entry) => (
                <div class="person">
                  <span class="person-name">{actionWords(entry.action)}</span>
                  {entry.targetId !== null && <Target id={entry.targetId} name={whoOf} />}
                </div>
              ),
            },
            { title: 'Who', cell: ({ actorId }) => textOf(whoOf(actorId)) },
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
      </Panel>
      {open && <Entry of={open} who={whoOf(open.actorId)} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

function Target({ id, name }: { id: string; name: (id: string) => string }) {
  const place = pathOfId(textOf(id))
  return (
    <span class="small">
      {place === undefined ? (
        <span class="quiet">{textOf(name(id))}</span>
      ) : (
        <a href={to(place.path)}>
          <code>{place.id}</code>
        </a>
      )}
    </span>
  )
}
