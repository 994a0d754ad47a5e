import { to } from '../../app/router.ts'
import { count } from '../../app/words.ts'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { WebhookLinks } from '../webhooks/webhook-links.tsx'
import type { Trial } from './use-trial.ts'

/** The webhooks that would receive the event. */
export function Targets({
  trial: { answer, failure, isBusy },
  isData,
  mayNot,
}: {
  trial: Trial
  /** Whether every error is shown at its line of the data. */
  isData: boolean
  mayNot: string | undefined
}) {
  if (mayNot !== undefined) return <Notice icon="lock" title={mayNot} />
  if (failure !== undefined && isData)
    return (
      <Notice tone="wait" icon="alert" title="The data does not match the schema of the type">
        The errors are listed below the data.
      </Notice>
    )
  if (failure !== undefined) return <Failed failure={failure} />
  if (answer === undefined)
    return isBusy ? <Waiting lines={2} /> : <p class="quiet">After the JSON is valid.</p>
  const { webhooks, deliveries } = answer
  const held = webhooks.filter(({ status }) => status !== 'active').length
  if (deliveries === 0)
    return (
      <Notice icon="webhook" title="No webhook subscribes to this type">
        You can publish it anyway. It is listed under Events. <a href={to('/webhooks')}>Webhooks</a>
      </Notice>
    )
  return (
    <>
      <p>
        To {count(deliveries, 'webhook')}
        {held > 0 &&
          `; what is for ${held === deliveries ? 'them' : `${held} of them`} waits until it is resumed`}
        .
      </p>
      <WebhookLinks of={webhooks} />
      {deliveries > webhooks.length && (
        <p class="small quiet">And {count(deliveries - webhooks.length, 'webhook')} more.</p>
      )}
    </>
  )
}
