import type { EventType, EventTypeItem } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { go, to } from '../../app/router.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Failed } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useEventTypes } from '../webhooks/data.ts'

/** Every type of event that there is, the organization's own first. */
export function Screen() {
  const { data, failure, isBusy, refresh } = useEventTypes()
  const reason = useAccess().reason({ permission: 'event_types:write', module: 'webhooks' })
  const rows = data?.data ?? []
  useActions([{ label: 'New event type', run: () => go(to('/event-types/new')), reason }])
  const wanted = ({ subscribers }: EventTypeItem) =>
    subscribers === 0 ? <span class="quiet">none</span> : number(subscribers)
  return (
    <Page
      title="Event types"
      lead="The types of events that can be published. Events of your own types are checked against their schema."
      actions={
        <LinkButton kind="primary" icon="plus" href={to('/event-types/new')} reason={reason}>
          New event type
        </LinkButton>
      }
    >
      {failure && <Failed failure={failure} retry={refresh} />}
      <Panel flush>
        <Table
          label="Event types"
          rows={rows}
          isBusy={isBusy}
          keyOf={({ name }) => name}
          hrefOf={({ name }) => to(`/event-types/${name}`)}
          columns={[
            { title: 'Type', cell: (type) => <What type={type} /> },
            { title: 'Webhooks', tight: true, end: true, cell: wanted },
            { title: 'Origin', tight: true, cell: (type) => <Origin type={type} /> },
            {
              title: 'Publish',
              tight: true,
              end: true,
              cell: ({ name, publishable }) => (
                <LinkButton
                  small
                  icon="compose"
                  href={to('/compose', { type: name })}
                  reason={reason ?? (publishable ? undefined : 'Only the platform publishes it')}
                >
                  Publish
                </LinkButton>
              ),
            },
          ]}
        />
      </Panel>
      {data !== undefined && !rows.some(({ builtIn }) => !builtIn) && (
        <Panel
          title="No event types of your own yet"
          note="An event type has a name, a schema and an example."
        >
          <Command
            text={`curl ${baseUrl}/v1/event-types \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"order.paid","example":{"orderId":"ord_1","total":12.5}}'`}
          />
        </Panel>
      )}
      {rows.length > 0 && <p class="small quiet">{count(rows.length, 'type')}</p>}
    </Page>
  )
}

function What({ type: { name, description } }: { type: EventType }) {
  return (
    <span class="event-what">
      <span>{textOf(name)}</span>
      <span class="small quiet type-note">{textOf(description)}</span>
    </span>
  )
}

export function Origin({ type: { builtIn, publishable } }: { type: EventType }) {
  if (!builtIn) return <Badge tone="good">yours</Badge>
  return <Badge>{publishable ? 'built in' : 'platform'}</Badge>
}
