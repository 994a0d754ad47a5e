import { useAccess } from '../../app/access.ts'
import { session } from '../../app/data/session.ts'
import { useStore } from '../../app/store.ts'

/** Why the person may not change a thing that another one made; undefined where they may. */
export function useOwn(madeBy: string | null): string | undefined {
  const who = useStore(session)
  const { isAdministrator } = useAccess()
  const isOwn = who.state === 'in' && who.person.id === madeBy
  return isOwn || isAdministrator ? undefined : 'Only its creator or an administrator can do this'
}
