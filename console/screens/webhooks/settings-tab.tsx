import type { Webhook } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { IdText } from '../../parts/copy.tsx'
import { Facts, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { Settings } from './settings.tsx'
import { Secret } from './webhook-secret.tsx'

/** The settings, the secret and the details of a webhook. */
export function SettingsTab({ webhook, reason }: { webhook: Webhook; reason: string | undefined }) {
  return (
    <div class="columns">
      <Panel title="Settings">
        <Settings webhook={webhook} reason={reason} />
      </Panel>
      <div class="stack">
        <Secret webhook={webhook} reason={reason} />
        <Panel title="Details">
          <Facts
            rows={[
              ['ID', <IdText key="id" id={webhook.id} />],
              ['Created', <ExactTime key="created" at={webhook.createdAt} />],
              ['Updated', <ExactTime key="changed" at={webhook.updatedAt} />],
              webhook.endpointPath !== null && [
                'Inbound address',
                <code key="path">/v1/webhooks/{textOf(webhook.endpointPath)}</code>,
              ],
            ]}
          />
        </Panel>
      </div>
    </div>
  )
}
