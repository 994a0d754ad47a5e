import { useState } from 'preact/hooks'
import type { SetupLink } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { useNames } from '../people/actors.ts'
import { isOpen, PURPOSES, STATES, useSetupLinks } from './data.ts'

/** The setup links that can be used, and on demand those that have ended. */
export function SetupLinks({ reason }: { reason: string | undefined }) {
  const [hasEnded, showEnded] = useState(false)
  const list = useSetupLinks(!hasEnded)
  const [asked, ask] = useState<SetupLink | undefined>()
  const nameOf = useNames(list.rows.map(({ createdBy }) => createdBy))
  return (
    <>
      <Panel
        title="Setup links"
        note="The IT of the organization sets up domains, provider and directory by one, without an account."
        flush
        actions={
          <Button small pressed={hasEnded} onPress={() => showEnded(!hasEnded)}>
            Show ended
          </Button>
        }
      >
        <ListTable
          label="Setup links"
          noun={['setup link', 'setup links']}
          list={list}
          keyOf={({ id }) => String(id)}
          empty={
            <Empty icon="link" title={hasEnded ? 'No setup link' : 'No open setup link'}>
              <p>Send one to the person who manages the DNS or the identity provider.</p>
            </Empty>
          }
          columns={[
            {
              title: 'For',
              cell: ({ name, email, purposes, createdBy }) => (
                <div class="person">
                  <span class="person-name">{textOf(name)}</span>
                  <span class="small quiet person-note">
                    {purposes.map((one) => PURPOSES[one]?.label ?? textOf(one)).join(', ')}
                    {email === null ? '' : ` · mailed to ${textOf(email)}`}
                    {createdBy === null ? '' : ` · by ${nameOf(createdBy)}`}
                  </span>
                </div>
              ),
            },
            {
              title: 'Status',
              tight: true,
              phone: 'corner',
              cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].words}</Badge>,
            },
            {
              title: 'Opened',
              tight: true,
              cell: ({ openedAt }) => <Time at={openedAt} none="not yet" />,
            },
            {
              title: hasEnded ? 'End' : 'Expires',
              tight: true,
              cell: ({ endedAt, expiresAt }) => <Time at={endedAt ?? expiresAt} />,
            },
            {
              title: 'Actions',
              tight: true,
              end: true,
              cell: (link) =>
                isOpen(link) && (
                  <Button small reason={reason} onPress={() => ask(link)}>
                    Revoke
                  </Button>
                ),
            },
          ]}
        />
      </Panel>
      {asked && <RevokeLink of={asked} onClose={() => ask(undefined)} />}
    </>
  )
}

function RevokeLink({ of: { id, name }, onClose }: { of: SetupLink; onClose: () => void }) {
  return (
    <Confirm
      title={`Revoke the setup link for ${textOf(name)}?`}
      action="Revoke"
      danger
      work={async () => {
        await postern.setupLinks.revoke(String(id))
        outdate('setup-links')
        toast('The setup link is revoked')
      }}
      onClose={onClose}
    >
      <p>It stops working immediately, in the browser that has opened it, too.</p>
      <p>What was set up by it stays: domains, the identity provider and the token of the directory.</p>
    </Confirm>
  )
}
