import { useEffect } from 'preact/hooks'
import type { Domain } from '#sdk/postern.ts'
import { announce } from '../../app/announcer.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { CAUSES, STATES } from './data.ts'

/** The record to publish for a domain, and what its last check has found. */
export function DnsRecord({
  domain,
  isChecked,
  reason,
  onClose,
}: {
  domain: Domain
  /** Whether it is looked up as the dialog opens. */
  isChecked: boolean
  /** Why the person may not check it. */
  reason: string | undefined
  onClose: () => void
}) {
  const checking = useAction(async () => {
    const found = await postern.domains.verify(String(domain.id))
    outdate('domains')
    announce(STATES[found.status].words)
    return found
  })
  useEffect(() => {
    if (isChecked) void checking.run()
  }, [])
  const { name, record, status, checkedAt, failingSince } = domain
  return (
    <Dialog title={`The record of ${textOf(name)}`} wide onClose={onClose}>
      <div class="stack">
        <p>Publish this record where the DNS of the domain is managed, and keep it published.</p>
        <Facts
          rows={[
            ['Type', textOf(record.type)],
            ['Name', <Copied key="name" text={textOf(record.name)} what="name" />],
            ['Value', <Copied key="value" text={textOf(record.value)} what="value" />],
          ]}
        />
        {checking.failure === undefined && (
          <Notice
            tone={STATES[status].tone}
            icon={status === 'verified' ? 'check' : status === 'pending' ? 'clock' : 'alert'}
            title={TITLES[status]}
          >
            <p>
              {domain.reason !== null && `${CAUSES[domain.reason]}. `}
              {status === 'failing' && (
                <>
                  It still counts as proven, until the record has been missing for seven days; it is missing
                  since <Time at={failingSince} />.{' '}
                </>
              )}
              {checkedAt === null ? (
                'Records can take some minutes to be seen.'
              ) : (
                <>
                  Checked <Time at={checkedAt} />.
                </>
              )}
            </p>
          </Notice>
        )}
        <Failed failure={checking.failure} />
        <div class="row dialog-foot">
          <Button onPress={onClose}>Close</Button>
          <Button
            kind="primary"
            icon="retry"
            busy={checking.isBusy}
            reason={reason}
            onPress={() => void checking.run()}
          >
            Check now
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const TITLES: Record<Domain['status'], string> = {
  pending: 'Waiting for the record',
  verified: 'Proven',
  failing: 'The record is missing',
  lost: 'The proof is lost',
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span class="id-text">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </span>
  )
}
