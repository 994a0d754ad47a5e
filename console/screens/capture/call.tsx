import { useState } from 'preact/hooks'
import type { Capture } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Body } from '../../parts/json.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'

/** A call as it came. */
export function Call({
  webhookId,
  capture,
  isFirst,
}: {
  webhookId: string
  capture: Capture
  isFirst: boolean
}) {
  const { id, method, capturedAt, contentType, headers, query, body, bodyBase64 } = capture
  const delivering = useDeliver(webhookId, id)
  const asked = Object.entries(query ?? {})
  return (
    <details class="panel capture-call" open={isFirst}>
      <summary>
        <span>
          <strong>{textOf(method)}</strong> <span class="quiet">{textOf(contentType)}</span>
        </span>
        <span class="quiet small">
          <Time at={capturedAt} />
        </span>
      </summary>
      <div class="panel-body">
        {asked.length > 0 && (
          <section class="stack" aria-label="Query">
            <h2>Query</h2>
            <Facts rows={asked.map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
          </section>
        )}
        <section class="stack" aria-label="Headers">
          <h2>Headers</h2>
          <Facts
            rows={Object.entries(headers ?? {}).map(([name, value]) => [
              name,
              <code key={name}>{textOf(value)}</code>,
            ])}
          />
        </section>
        <section class="stack" aria-label="Body">
          <h2>Body</h2>
          <Body text={textOf(body)} label="body" />
        </section>
        <div class="row">
          <Button icon="send" busy={delivering.isBusy} onPress={() => void delivering.run()}>
            Deliver now
          </Button>
          <Copy text={textOf(bodyBase64)} what="body as base64">
            Body as base64
          </Copy>
        </div>
        <Failed failure={delivering.failure} />
        {delivering.eventId && (
          <Notice tone="good" icon="check" title="Delivery created">
            <a href={to(`/events/${delivering.eventId}`)}>Show the delivery</a>
          </Notice>
        )}
      </div>
    </details>
  )
}

function useDeliver(webhookId: string, captureId: string) {
  const [eventId, setEventId] = useState<string | undefined>()
  const delivering = useAction(async () => {
    const { id } = await postern.captures.deliver(webhookId, captureId)
    setEventId(id)
    outdate('events')
    outdate('deliveries')
  })
  return { ...delivering, eventId }
}
