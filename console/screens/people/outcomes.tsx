import { count, textOf } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { Outcome } from './send-invitations.ts'

/** What became of the addresses that were sent last: links that are shown once, refusals, and how far their mails are. */
export function Outcomes({ all, onClose }: { all: readonly Outcome[]; onClose: () => void }) {
  if (all.length === 0) return null
  const invited = all.flatMap(({ invitation }) => invitation ?? [])
  const refused = all.filter(({ refusal }) => refusal !== undefined)
  const links = invited.filter(({ acceptUrl }) => acceptUrl !== undefined)
  const mails = invited.filter(
    ({ acceptUrl, delivery }) => acceptUrl === undefined && delivery.status !== 'not_configured',
  )
  const gone = mails.filter(({ delivery }) => delivery.status !== 'queued').length
  const failed = mails.filter(({ delivery }) => delivery.status === 'failed').length
  return (
    <Notice
      tone={refused.length > 0 ? 'wait' : 'good'}
      icon={refused.length > 0 ? 'alert' : 'check'}
      title={
        invited.length === 0 ? 'Nobody was invited' : `${count(invited.length, 'person', 'people')} invited`
      }
      actions={<Button kind="quiet" small icon="cross" label="Close" onPress={onClose} />}
    >
      <div class="stack">
        {mails.length > 0 && (
          <div class="row">
            <Progress label="Mails sent" done={gone} total={mails.length} />
            <span class="small quiet">
              {failed > 0
                ? `${count(failed, 'mail')} failed: see below`
                : gone < mails.length
                  ? 'sending mails'
                  : 'all sent'}
            </span>
          </div>
        )}
        {refused.length > 0 && (
          <ul class="invite-results small">
            {refused.map(({ email, refusal }) => (
              <li key={email}>
                <b>{textOf(email)}</b>
                <span>{textOf(refusal)}</span>
              </li>
            ))}
          </ul>
        )}
        {links.length > 0 && (
          <>
            <p class="small">These links are shown once. Anybody who opens one can join with its address.</p>
            <ul class="invite-results small">
              {links.map(({ id, email, acceptUrl = '' }) => (
                <li key={id}>
                  <b>{textOf(email)}</b>
                  <code class="invite-link">{textOf(acceptUrl)}</code>
                  <Copy text={textOf(acceptUrl)} what="link">
                    Copy link
                  </Copy>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Notice>
  )
}
