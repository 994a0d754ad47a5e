import type { Event, EventType, ListEventsQuery } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { since } from '../../parts/span.ts'

/** The filters of the list, as its address has them. */
export const FILTERS = ['type', 'actor', 'since', 'id'] as const
export type Filter = Record<(typeof FILTERS)[number], string>

/** The filter as the API takes it; what cannot be the beginning of an id finds nothing there, and is not asked for. */
export function queryOf({ type, actor, since: span, id }: Filter): ListEventsQuery {
  const from = since(span)
  const prefix = id.trim().toLowerCase()
  return {
    ...(type === '' ? {} : { type }),
    ...(actor.trim() === '' ? {} : { actor: actor.trim() }),
    ...(prefix === '' ? {} : { id: prefix.startsWith('evt_') ? prefix : `evt_${prefix}` }),
    ...(from === undefined ? {} : { since: from }),
  }
}

export function useEvent(id: string | undefined): Data<Event> {
  const mayRead = useMay()('events:read')
  return useData(id === undefined || !mayRead ? undefined : `events/${id}`, (how) =>
    postern.events.read(id ?? '', how),
  )
}

/** The actor who published an event; null for an event of the platform, undefined until it is read. */
export function useActorOf(id: string): string | null | undefined {
  const { data } = useData(`events/${id} listed`, (how) => postern.events.list({ id, limit: 1 }, how).page())
  return data?.data[0]?.actorId
}

export function useEventType(name: string | undefined): Data<EventType> {
  const mayRead = useMay()('event_types:read')
  return useData(name === undefined || !mayRead ? undefined : `event-types/${name}`, (how) =>
    postern.eventTypes.read(name ?? '', how),
  )
}

/** What publishes something, as commands to copy. */
export function curlOf(type: string, data: string): string {
  return [
    `curl ${baseUrl}/v1/events`,
    '  -H "Authorization: Bearer $POSTERN_API_KEY"',
    '  -H "Content-Type: application/json"',
    `  -d ${quoted(`{"type":${JSON.stringify(type)},"data":${data.trim()}}`)}`,
  ].join(' \\\n')
}

export function sdkOf(type: string, data: string): string {
  return `import { Postern } from 'postern-sdk'

const postern = new Postern({ baseUrl: '${baseUrl}', apiKey: process.env.POSTERN_API_KEY })
await postern.events.publish({
  type: ${JSON.stringify(type)},
  data: ${data.trim().replaceAll('\n', '\n  ')},
})`
}

/** For a POSIX shell: nothing in it means anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
