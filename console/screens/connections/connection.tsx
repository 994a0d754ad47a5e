import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Command, IdText } from '../../parts/copy.tsx'
import { Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { type Asked, ConnectionDialogs, ConnectionMenu } from './connection-actions.tsx'
import { useConnection } from './data.ts'

/** One connection. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const reason = useAccess().reason({ permission: 'connections:write' })
  const { data, failure, refresh } = useConnection(id)
  const [asked, ask] = useState<Asked | undefined>()
  const back = { href: to('/connections'), label: 'Connections' }
  if (data === undefined)
    return (
      <Page title="Connection" back={back}>
        <Loading failure={failure} retry={refresh} />
      </Page>
    )
  return (
    <Page
      title={textOf(data.provider)}
      lead={textOf(data.subject)}
      mark={<Status of={data.status} />}
      back={back}
      actions={<ConnectionMenu connection={data} reason={reason} ask={ask} />}
    >
      {data.lastError && (
        <Notice tone="bad" icon="alert" title="The last refresh failed">
          {textOf(data.lastError.reason ?? data.lastError.code).replaceAll('_', ' ')}
          {data.retryNotBefore && (
            <>
              . Not before <ExactTime at={data.retryNotBefore} />
            </>
          )}
        </Notice>
      )}
      <Panel title="Details">
        <Facts
          rows={[
            ['Scopes', <code key="scopes">{data.scopes.map(textOf).join(' ') || 'none'}</code>],
            ['Token ends', <ExactTime key="ends" at={data.expiresAt} />],
            ['Refreshed', <ExactTime key="refreshed" at={data.refreshedAt} />],
            ['Created', <ExactTime key="made" at={data.createdAt} />],
            ['ID', <IdText key="id" id={id} />],
          ]}
        />
      </Panel>
      <Panel title="Call its API" note="The server adds the token. Nobody sees it.">
        <Command
          text={`curl -H "authorization: Bearer $POSTERN_API_KEY" -H 'content-type: application/json' \\\n  ${baseUrl}/v1/connections/${textOf(id)}/fetch \\\n  -d '{"method":"GET","url":"https://…"}'`}
        />
      </Panel>
      <ConnectionDialogs asked={asked} onClose={() => ask(undefined)} />
    </Page>
  )
}
