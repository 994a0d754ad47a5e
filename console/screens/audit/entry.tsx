import type { AuditEntry } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { IdText } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Json } from '../../parts/json.tsx'
import { Facts } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'

/** `webhook.secret_rotated` → "webhook secret rotated". */
export const actionWords = (action: string) => textOf(action).replaceAll(/[._]/g, ' ')

/** All that an entry of an audit log has. */
export function Entry({ of, who, onClose }: { of: AuditEntry; who: string; onClose: () => void }) {
  return (
    <Dialog title={actionWords(of.action)} onClose={onClose} wide>
      <div class="stack">
        <Facts
          rows={[
            ['Action', <code key="action">{textOf(of.action)}</code>],
            ['When', <ExactTime key="when" at={of.createdAt} />],
            ['Who', textOf(who)],
            of.actorId !== null && ['Their ID', <IdText key="actor" id={of.actorId} />],
            of.targetId !== null && ['Target', <IdText key="target" id={of.targetId} />],
            ['From', <code key="ip">{textOf(of.ip)}</code>],
            ['By', textOf(of.userAgent)],
            of.keyId !== null && ['API key', <IdText key="key" id={of.keyId} />],
            ['Request', <IdText key="request" id={of.requestId} what="request id" />],
          ]}
        />
        {Object.keys(of.details).length > 0 && <Json value={of.details} label="Details" />}
      </div>
    </Dialog>
  )
}
