import { useState } from 'preact/hooks'
import type { Invitation } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Failed, Loading } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { type Asked, InvitationDialogs, InvitationMenu, reasonOf } from './invitation-actions.tsx'
import { MailTruth } from './mail-truth.tsx'

const BACK = { label: 'Invitations' }

/** One invitation. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const reason = useAccess().reason({ permission: 'invitations:write' })
  const { data, failure, refresh } = useData<Invitation>(`invitations/${id}`, (how) =>
    postern.invitations.read(id, how),
  )
  const [asked, ask] = useState<Asked | undefined>()
  useLive(['invitation'], ({ event, data: changed }) => {
    if (event === 'gap' || (changed as Invitation).id === id) refresh()
  })
  const back = { ...BACK, href: to('/invitations') }
  if (data === undefined)
    return (
      <Page title="Invitation" back={back}>
        <Loading failure={failure} retry={refresh} />
      </Page>
    )
  return (
    <Page
      title={data.email}
      mark={<Status of={data.status} />}
      back={back}
      actions={
        <>
          <Button
            icon="send"
            reason={reasonOf(data, 'resend', reason)}
            onPress={() => ask({ what: 'resend', invitation: data })}
          >
            Resend
          </Button>
          <InvitationMenu invitation={data} reason={reason} ask={ask} />
        </>
      }
    >
      <Failed failure={failure} retry={refresh} />
      <Panel title="The invitation">
        <Facts
          rows={[
            ['Role', textOf(data.roleName ?? 'a deleted role')],
            ['Mail', <MailTruth key="mail" of={data.delivery} />],
            ['Created', <ExactTime key="made" at={data.createdAt} />],
            data.acceptedAt !== null && ['Accepted', <ExactTime key="accepted" at={data.acceptedAt} />],
            data.revokedAt !== null && ['Revoked', <ExactTime key="revoked" at={data.revokedAt} />],
            ['Expires', <ExactTime key="expires" at={data.expiresAt} />],
            ['ID', <IdText key="id" id={id} />],
          ]}
        />
      </Panel>
      <InvitationDialogs asked={asked} onClose={() => ask(undefined)} />
    </Page>
  )
}
