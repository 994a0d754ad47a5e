import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DeliveryItem, Webhook } from '#sdk/postern.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { recall, remember } from '../../app/remember.ts'
import { to } from '../../app/router.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { Panel } from '../../parts/page.tsx'
import { TryHere } from './try-here.tsx'

/** Kept in this browser once the guide is dismissed. */
const HIDDEN = 'guide-hidden'

/** The steps to the first event, with a tick at each one that is done. */
export function Steps({
  webhooks,
  newest,
  reason,
}: {
  webhooks: readonly Webhook[]
  newest: readonly DeliveryItem[]
  reason: string | undefined
}) {
  const [first] = webhooks
  const isTested = newest.some(({ test, status }) => test && status === 'delivered')
  const [isHidden, setHidden] = useState(recall(HIDDEN) === 'yes')
  const hide = () => {
    remember(HIDDEN, 'yes')
    setHidden(true)
  }
  if (isHidden) return null
  return (
    <Panel
      title="Get started"
      actions={
        <Button small onPress={hide}>
          Hide
        </Button>
      }
    >
      <ol class="steps">
        <Step title="Add a webhook" isDone={first !== undefined}>
          <p>A URL that receives your events.</p>
          {first === undefined && (
            <LinkButton kind="primary" icon="plus" href={to('/webhooks/new')} reason={reason}>
              New webhook
            </LinkButton>
          )}
          {first === undefined && <TryHere reason={reason} />}
        </Step>
        <Step title="Send a test" isDone={isTested}>
          <p>It is sent immediately and shows the response.</p>
          {first !== undefined && !isTested && (
            <LinkButton kind="primary" icon="send" href={to(`/webhooks/${first.id}`)}>
              Open the webhook
            </LinkButton>
          )}
        </Step>
        <Step title="Verify what you receive" isDone={false}>
          <p>Your receiver checks the signature with the signing secret.</p>
          <Command
            label="example of a receiver"
            text={`import { verify } from 'postern-sdk/webhooks'

const event = await verify({ body, headers, secrets: [process.env.WEBHOOK_SECRET] })`}
          />
        </Step>
        <Step title="Publish an event" isDone={false}>
          <p>
            With an API key, from your own service; or by one from outside, through a webhook’s inbound
            address.
          </p>
          <Command
            label="command that publishes"
            text={`curl ${baseUrl}/v1/events \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"type":"agent.run.completed","data":{"agentId":"agt_1","runId":"run_1","output":"done","status":"succeeded","durationMs":1250,"completedAt":"2026-01-01T00:00:00Z"}}'`}
          />
        </Step>
      </ol>
    </Panel>
  )
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'step step-done' : 'step'}>
      <span class="step-mark" aria-hidden="true">
        {isDone && <Glyph icon="check" size={16} />}
      </span>
      <div class="stack">
        <h3>
          {title}
          {isDone && <span class="unseen"> (done)</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}
