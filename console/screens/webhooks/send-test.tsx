import { useEffect, useState } from 'preact/hooks'
import type { TestWebhookAnswer, Webhook } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { duration, lineOfUrl, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { Facts } from '../../parts/page.tsx'
import { useEventTypes } from './data.ts'

/** Sends a sample immediately and shows the response. */
export function SendTest({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [type, setType] = useState('webhook.test')
  const [answer, setAnswer] = useState<TestWebhookAnswer | undefined>()
  const types = useEventTypes().data?.data ?? []
  const sending = useAction(async () => {
    setAnswer(undefined)
    setAnswer(await postern.webhooks.test(webhook.id, { type }))
    outdate(`webhooks/${webhook.id}`)
    outdate('deliveries')
  })
  useEffect(() => void sending.run(), [])
  const names = types.some(({ name }) => name === type)
    ? types.map(({ name }) => name)
    : [type, ...types.map(({ name }) => name)]
  return (
    <Dialog title={`Test of ${lineOfUrl(webhook.url)}`} onClose={onClose}>
      <div class="stack">
        <div class="row test-again">
          <div class="field">
            <label for="test-type">Event type</label>
            <select id="test-type" value={type} onChange={(event) => setType(event.currentTarget.value)}>
              {names.map((name) => (
                <option key={name}>{textOf(name)}</option>
              ))}
            </select>
          </div>
          <Button icon="send" busy={sending.isBusy} onPress={() => void sending.run()}>
            Send another
          </Button>
        </div>
        {sending.isBusy && <Waiting lines={2} />}
        <Failed failure={sending.failure} />
        <div aria-live="polite">{answer && <Answer answer={answer} />}</div>
      </div>
    </Dialog>
  )
}

function Answer({ answer: { delivered, attempt, deliveryId, eventId } }: { answer: TestWebhookAnswer }) {
  const { statusCode, error, durationMs, responseBody } = attempt
  const title = delivered
    ? `Responded with ${statusCode} in ${duration(durationMs)}`
    : statusCode === null
      ? `No response: ${textOf(error)}`
      : `Responded with ${statusCode} after ${duration(durationMs)}`
  return (
    <div class="stack">
      <Notice tone={delivered ? 'good' : 'bad'} icon={delivered ? 'check' : 'alert'} title={title} />
      <Facts
        rows={[
          ['Delivery', <code key="delivery">{deliveryId}</code>],
          ['Event', <code key="event">{eventId}</code>],
        ]}
      />
      {responseBody !== null && (
        <div class="stack">
          <h3>Response</h3>
          <pre class="raw" tabIndex={0}>
            {responseBody === '' ? '(empty)' : responseBody}
          </pre>
        </div>
      )}
    </div>
  )
}
