import { isCode } from '#sdk/errors.ts'
import { outdate } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Failed } from '../../parts/notice.tsx'

const TYPE = 'order.paid'
const DATA = { orderId: 'ord_1', amount: 990 }

/** 32 hexadecimal digits; `randomUUID` is missing in pages of plain http. */
function chance(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Makes everything at one press that an event needs to arrive, without a receiver: the webhook leads to its own inbound address, where a capture window keeps the
 * call that arrives.
 */
export function TryHere({ reason }: { reason: string | undefined }) {
  const goOn = useGo()
  const trial = useAction(async () => {
    try {
      await postern.eventTypes.create({ name: TYPE, example: DATA })
    } catch (thrown) {
      if (!isCode(thrown, 'DUPLICATE')) throw thrown
    }
    const endpointPath = `try-${chance()}`
    const url = `${baseUrl}/v1/webhooks/${endpointPath}`
    const { id } = await postern.webhooks.create({
      ...{ url, endpointPath, events: [TYPE] },
      description: 'Trial: delivers to its own inbound address',
    })
    await postern.captures.start(id)
    await postern.events.publish({ type: TYPE, data: DATA })
    for (const key of ['webhooks', 'event-types', 'overview/']) outdate(key)
    goOn(to('/capture', { webhook: id }))
  })
  const isRefused = trial.failure?.details.reason === 'address_not_allowed'
  return (
    <>
      <p>
        No receiver yet? This server can receive the call itself. It creates an event type <code>{TYPE}</code>
        , a webhook that delivers to this server, and an event. You see the call as a receiver does, with its
        signatures.
      </p>
      <Button icon="capture" reason={reason} busy={trial.isBusy} onPress={() => void trial.run()}>
        Try it here
      </Button>
      {isRefused ? (
        <div role="alert">
          <p>
            This server has a private address, and webhooks may only call public ones. The operator can allow
            it: restart the server with this setting.
          </p>
          <Command
            label="command that starts the server"
            text="WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8,::1/128 npx postern start"
          />
        </div>
      ) : (
        <Failed failure={trial.failure} />
      )}
    </>
  )
}
