import type { Connection } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { toast } from '../../parts/toast.tsx'
import { connect } from './data.ts'

export type Asked = { what: 'refresh' | 'reconnect' | 'delete'; connection: Connection }

/** What can be done with a connection, and the reason where it cannot. */
export function ConnectionMenu({
  connection,
  reason,
  ask,
}: {
  connection: Connection
  reason: string | undefined
  ask: (asked: Asked) => void
}) {
  const over = ['expired', 'revoked'].includes(connection.status)
    ? 'The connection has ended. Reconnect it.'
    : undefined
  const own = connection.refreshable ? over : 'The provider gave no refresh token'
  return (
    <Menu
      small
      label={`More for ${textOf(connection.provider)}`}
      items={[
        {
          label: 'Refresh the token',
          icon: 'retry',
          reason: reason ?? own,
          run: () => ask({ what: 'refresh', connection }),
        },
        { label: 'Reconnect', icon: 'link', reason, run: () => ask({ what: 'reconnect', connection }) },
        {
          label: 'Delete',
          icon: 'trash',
          danger: true,
          reason,
          run: () => ask({ what: 'delete', connection }),
        },
      ]}
    />
  )
}

/** Asks before something is done with a connection, and does it. */
export function ConnectionDialogs({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) {
  const goOn = useGo()
  if (asked === undefined) return null
  const { what, connection } = asked
  const provider = textOf(connection.provider)
  const words = {
    refresh: {
      title: `Refresh the token of ${provider}?`,
      action: 'Refresh',
      text: 'Requests a new token from the provider. Calls continue meanwhile.',
      async work() {
        await postern.connections.refresh(connection.id)
        toast('Token refreshed')
      },
    },
    reconnect: {
      title: `Reconnect ${provider}?`,
      action: `Go to ${provider}`,
      text: 'Sign in at the provider again with the same account. Then you come back here.',
      work: () => connect(connection.provider),
    },
    delete: {
      title: `Delete the connection to ${provider}?`,
      action: 'Delete',
      text: 'The tokens are deleted immediately and revoked at the provider where it supports that. Calls through this connection fail.',
      async work() {
        await postern.connections.delete(connection.id)
        goOn(to('/connections'), { replace: true })
      },
    },
  }[what]
  return (
    <Confirm
      title={words.title}
      action={words.action}
      danger={what === 'delete'}
      {...(what === 'delete' ? { name: provider } : {})}
      work={async () => {
        await words.work()
        outdate('connections')
      }}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </Confirm>
  )
}
