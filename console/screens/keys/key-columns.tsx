import { textOf } from '../../app/words.ts'
import { Menu } from '../../parts/menu.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Expiry } from './key-fields.tsx'

interface Key {
  name: string
  lastUsedAt: string | null
  expiresAt: string | null
  createdAt: string
}

/** Actions of a key that open a dialog. */
export interface KeyAction<Row> {
  what: 'change' | 'rotate' | 'delete'
  key: Row
}

/**
 * The last columns of a list of keys: its times, and the menu of its actions.
 * @param reason why none of them can be chosen
 */
export function keyColumns<Row extends Key>(
  ask: (action: KeyAction<Row>) => void,
  reason?: string,
): Column<Row>[] {
  return [
    { title: 'Last used', tight: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" /> },
    { title: 'Expires', tight: true, cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    { title: 'Created', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Actions',
      tight: true,
      end: true,
      cell: (key) => (
        <Menu
          small
          label={`More for ${textOf(key.name)}`}
          items={[
            { label: 'Change', icon: 'settings', reason, run: () => ask({ what: 'change', key }) },
            { label: 'Rotate', icon: 'retry', reason, run: () => ask({ what: 'rotate', key }) },
            {
              ...{ label: 'Delete', icon: 'trash', danger: true, reason },
              run: () => ask({ what: 'delete', key }),
            },
          ]}
        />
      ),
    },
  ]
}
