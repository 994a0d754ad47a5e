import { useState } from 'preact/hooks'
import type { EventType } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { go, to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Json } from '../../parts/json.tsx'
import { Failed, Loading } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { toast } from '../../parts/toast.tsx'
import { useEventType } from '../events/data.ts'
import { WebhookLinks } from '../webhooks/webhook-links.tsx'
import { Origin } from './event-types.tsx'

const BACK = () => ({ href: to('/event-types'), label: 'Event types' })

/** One event type: its schema, an example, its subscribers, and an example of a receiver. */
export function Screen({ params: { name = '' } }: ScreenProps) {
  const { data, failure, refresh } = useEventType(name)
  if (data === undefined)
    return (
      <Page title="Event type" back={BACK()}>
        <Loading failure={failure} retry={refresh} lines={8} />
      </Page>
    )
  return <Known type={data} />
}

function Known({ type }: { type: EventType }) {
  const goOn = useGo()
  const { name, description, schema, example, builtIn, publishable } = type
  const [isDeleting, setDeleting] = useState(false)
  const mayNot = useAccess().reason({ permission: 'event_types:write', module: 'webhooks' })
  const reason = mayNot ?? (builtIn ? 'Built-in types cannot be changed' : undefined)
  const noPublishing = mayNot ?? (publishable ? undefined : 'Only the platform publishes it')
  const [compose, change] = [to('/compose', { type: name }), to(`/event-types/${name}/change`)]
  useActions([
    { label: 'Publish an event of this type', run: () => go(compose), reason: noPublishing },
    { label: 'Edit the event type', run: () => go(change), reason },
    { label: 'Delete the event type', run: () => setDeleting(true), reason },
  ])
  return (
    <Page
      title={textOf(name)}
      back={BACK()}
      mark={<Origin type={type} />}
      lead={textOf(description)}
      actions={
        <>
          <LinkButton kind="primary" icon="compose" href={compose} reason={noPublishing}>
            Publish
          </LinkButton>
          <LinkButton icon="settings" href={change} reason={reason}>
            Change
          </LinkButton>
          <Button icon="trash" reason={reason} onPress={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <div class="columns">
        <div class="stack">
          <Panel title="Example data">
            <Json value={example} label="example" />
          </Panel>
          <Subscribers name={name} />
        </div>
        <Panel
          title="Schema of the data"
          note={
            publishable
              ? 'Events are checked against it when they are published.'
              : 'The platform follows this schema.'
          }
        >
          <Json value={schema} label="schema" />
        </Panel>
      </div>
      <Panel title="Example receiver" note="It verifies the signature and responds before it does its work.">
        <Command label="receiver" text={receiverOf(textOf(name))} />
      </Panel>
      {isDeleting && (
        <Confirm
          title="Delete this event type?"
          action="Delete"
          danger
          name={textOf(name)}
          work={async () => {
            await postern.eventTypes.delete(name)
            outdate('event-types')
            toast('Event type deleted')
            goOn(to('/event-types'), { replace: true })
          }}
          onClose={() => setDeleting(false)}
        >
          <p>Events of this type can no longer be published.</p>
          <p>
            Events published before stay, and are delivered, retried and replayed as before. Webhooks keep the
            type in their list.
          </p>
        </Confirm>
      )}
    </Page>
  )
}

function Subscribers({ name }: { name: string }) {
  const list = useList(`webhooks of ${name}`, (how) =>
    postern.webhooks.list({ eventType: name, limit: 20 }, how),
  )
  const { rows, offset, failure, isBusy, refresh } = list
  return (
    <Panel
      title="Subscribed webhooks"
      actions={<a href={to('/events', { type: name })}>Events of this type</a>}
    >
      {rows.length + offset === 0 ? (
        failure === undefined ? (
          <p class="quiet">{isBusy ? 'Loading…' : 'No webhook subscribes to it yet.'}</p>
        ) : (
          <Failed failure={failure} retry={refresh} />
        )
      ) : (
        <WebhookLinks of={rows} />
      )}
      <Pager list={list} noun={['webhook', 'webhooks']} />
    </Panel>
  )
}

function receiverOf(name: string): string {
  return `import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from 'postern-sdk/webhooks'

createServer(async (request, response) => {
  const { headers } = request
  try {
    // Verify the raw bytes: a body that was parsed and written again has another signature.
    const body = await buffer(request)
    const event = await verify({ body, headers, secrets: process.env.WEBHOOK_SECRET })
    if (event.type === ${JSON.stringify(name)}) console.log(event.id, event.data)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end()
  }
}).listen(3001)`
}
