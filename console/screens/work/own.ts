import { useMay } from '../../app/access.ts'
import { type Permission, session } from '../../app/data/session.ts'
import { useStore } from '../../app/store.ts'

/**
 * Why the person may not change a thing; undefined where they may.
 * @param permission what is asked for of everybody
 * @param all what is asked for as well where another one made the thing
 */
export function useOwn(madeBy: string | null, permission: Permission, all: Permission): string | undefined {
  const who = useStore(session)
  const may = useMay()
  const isOwn = who.state === 'in' && who.person.id === madeBy
  if (!may(permission)) return `Your role does not permit ${permission}`
  return isOwn || may(all) ? undefined : `Only its creator, or a role with ${all}, can do this`
}
