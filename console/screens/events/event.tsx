import type { Event } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { go, to } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Copy, IdText } from '../../parts/copy.tsx'
import { Body } from '../../parts/json.tsx'
import { Failed, Loading } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { useSent } from '../deliveries/data.ts'
import { ActorName } from '../people/actor-name.tsx'
import { curlOf, useActorOf, useEvent, useEventType } from './data.ts'
import { EventDeliveries } from './event-deliveries.tsx'

/** One event: its data and its deliveries. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data, failure, refresh } = useEvent(id)
  if (data === undefined)
    return (
      <Page title="Event" back={{ href: to('/events'), label: 'Events' }}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known event={data} />
}

function Known({ event }: { event: Event }) {
  const { id, type, createdAt, data } = event
  const mayNot = useAccess().reason({ permission: 'events:write', module: 'webhooks' })
  const isOurs = useEventType(textOf(type)).data?.publishable === false
  const reason = mayNot ?? (isOurs ? 'Only the platform publishes this type' : undefined)
  const sent = useSent(id)
  const again = to('/compose', { from: id })
  useActions([{ label: 'Publish a similar event', run: () => go(again), reason }])
  return (
    <Page
      title={textOf(type)}
      back={{ href: to('/events'), label: 'Events' }}
      lead={
        <>
          Published <ExactTime at={createdAt} /> <By eventId={id} />
          <IdText id={id} what="event's id" />
        </>
      }
      actions={
        <>
          <LinkButton kind="primary" icon="compose" href={again} reason={reason}>
            Publish a similar event
          </LinkButton>
          <LinkButton icon="type" href={to(`/event-types/${textOf(type)}`)}>
            Event type
          </LinkButton>
          <Copy text={curlOf(textOf(type), JSON.stringify(data))} what="event as curl">
            Copy as curl
          </Copy>
        </>
      }
    >
      <Panel flush title="Deliveries">
        <EventDeliveries eventId={id} />
      </Panel>
      <Panel title="Payload" note="Byte for byte as it is signed and sent.">
        {sent.failure && <Failed failure={sent.failure} retry={sent.refresh} />}
        {sent.data !== undefined && <Body text={sent.data} label="event" asStored />}
      </Panel>
    </Page>
  )
}

/** Who published it, and the way to all else of theirs. */
function By({ eventId }: { eventId: string }) {
  const actor = useActorOf(eventId)
  if (actor === undefined) return null
  if (actor === null) return <>by the platform</>
  return (
    <>
      by{' '}
      <a href={to('/events', { actor })}>
        <ActorName id={actor} />
      </a>
    </>
  )
}
