import type { IdentityProvider } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'

/** Asks before an identity provider is disabled or removed, and says what ends. */
export function EndProvider({
  provider: { id, name },
  isRemoved,
  onClose,
}: {
  provider: IdentityProvider
  isRemoved: boolean
  onClose: () => void
}) {
  return (
    <Confirm
      title={`${isRemoved ? 'Remove' : 'Disable'} ${textOf(name)}?`}
      action={isRemoved ? 'Remove' : 'Disable'}
      danger
      work={async () => {
        if (isRemoved) await postern.identityProviders.delete(String(id))
        else await postern.identityProviders.update(String(id), { status: 'disabled' })
        outdate('identity-providers')
        toast(`${textOf(name)} is ${isRemoved ? 'removed' : 'disabled'}`)
      }}
      onClose={onClose}
    >
      <p>This ends immediately:</p>
      <ul class="ends">
        <li>Every session that began by it</li>
        <li>The access of applications that was granted in these sessions</li>
        <li>Every new sign-in by it</li>
        {isRemoved && <li>Which person there is which account here</li>}
      </ul>
      <p>
        Members stay.{' '}
        {isRemoved
          ? 'A provider that is added later knows nobody.'
          : 'Enabling it lets people sign in again.'}
      </p>
    </Confirm>
  )
}
