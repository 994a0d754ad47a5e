import { useRef } from 'preact/hooks'
import type { EventItem } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { later, SECOND } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to, useFilters } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { ExportCsv } from '../../parts/export.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useActorChoices, useNames } from '../people/actors.ts'
import { useEventTypes } from '../webhooks/data.ts'
import { curlOf, FILTERS, type Filter, queryOf } from './data.ts'

/** Every event of the organization, the newest first. */
export function Screen() {
  const [filter, change] = useFilters(FILTERS)
  const query = queryOf(filter)
  const key = `events ${JSON.stringify(filter)}`
  const list = useList(key, (how) => postern.events.list({ ...query, limit: 50 }, how))
  const choices = useActorChoices(filter.actor)
  const nameOf = useNames(list.rows.map(({ actorId }) => actorId))
  const types = useEventTypes().data?.data ?? []
  const reason = useAccess().reason({ permission: 'events:write', module: 'webhooks' })
  const isFiltered = FILTERS.some((name) => filter[name] !== '')
  useNews(key, list.rows[0]?.id)
  useActions([{ label: 'Publish an event', run: () => go(to('/compose')), reason }])
  return (
    <Page
      title="Events"
      lead="Every event published in this organization."
      actions={
        <>
          <ExportCsv path="/v1/events" query={query as Record<string, string | undefined>} name="events" />
          <LinkButton kind="primary" icon="compose" href={to('/compose')} reason={reason}>
            Publish an event
          </LinkButton>
        </>
      }
    >
      <Filters
        values={filter}
        onChange={change}
        rows={[
          {
            name: 'type',
            label: 'Type',
            kind: 'choice',
            options: types.map(({ name }) => [textOf(name), textOf(name)] as const),
          },
          { name: 'actor', label: 'By', kind: 'choice', options: choices },
          { name: 'since', label: 'Published', kind: 'span' },
          { name: 'id', label: 'ID starts with', kind: 'text', placeholder: 'evt_0198c1f2' },
        ]}
      />
      <Panel flush>
        <ListTable
          label="Events"
          noun={['event', 'events']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/events/${id}`)}
          empty={isFiltered ? <NoMatch onClear={change} /> : <NoEvent reason={reason} />}
          columns={[
            { title: 'Event', cell: (event) => <What event={event} /> },
            {
              title: 'By',
              cell: ({ actorId }) =>
                actorId === null ? <span class="quiet">the platform</span> : nameOf(actorId),
            },
            { title: 'Id', tight: true, minor: true, cell: ({ id }) => <code class="small">{id}</code> },
            { title: 'Published', tight: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      </Panel>
    </Page>
  )
}

/** Reads the list again when a delivery belongs to an event newer than the first row, once a second at most. */
function useNews(key: string, first = ''): void {
  const waits = useRef(false)
  useLive(['delivery'], ({ event, data }) => {
    if (waits.current || (event !== 'gap' && String(data.eventId) <= first)) return
    waits.current = true
    later(SECOND, () => {
      waits.current = false
      outdate(key)
    })
  })
}

function What({ event: { type, data } }: { event: EventItem }) {
  return (
    <span class="event-what">
      <span>{textOf(type)}</span>
      <span class="small quiet mono event-glance">{textOf(data).slice(0, 200)}</span>
    </span>
  )
}

function NoMatch({ onClear }: { onClear: (changed: Partial<Filter>) => void }) {
  return (
    <Empty icon="filter" title="No matching events">
      <p>
        The ID filter matches the beginning of an ID. The time filter goes by when the event was published.
      </p>
      <Button small icon="cross" onPress={() => onClear({ type: '', actor: '', since: '', id: '' })}>
        Clear filters
      </Button>
    </Empty>
  )
}

function NoEvent({ reason }: { reason: string | undefined }) {
  return (
    <Empty icon="event" title="No events yet">
      <p>
        Your systems and the platform publish events. Each event goes to every webhook that subscribes to its
        type.
      </p>
      <LinkButton kind="primary" icon="compose" href={to('/compose')} reason={reason}>
        Publish an event
      </LinkButton>
      <p>Or in a terminal:</p>
      <Command
        text={curlOf(
          'agent.run.completed',
          '{"agentId":"agent_1","runId":"run_1","status":"succeeded","durationMs":1234,"output":"Done."}',
        )}
      />
    </Empty>
  )
}
