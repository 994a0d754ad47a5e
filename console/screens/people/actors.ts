import type { ApiKey, Member } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { nameOf } from './invitations-data.ts'

/** Who does things in the organization: its people, and its keys as far as one may see them. */
export interface Actors {
  /** What somebody is called; the id of one that is gone. */
  nameOf: (id: string) => string
  /** All who can be chosen from, and who is chosen already, though gone. */
  optionsWith: (chosen: string) => (readonly [id: string, name: string])[]
}

/** So many pages of a hundred members are read for their names: of one beyond them the id is shown. */
const MOST_PAGES = 10

/** @param isWanted whether anybody's name will be shown */
export function useActors(isWanted = true): Actors {
  const maySeeKeys = useAccess().reason({ role: 'administrator' }) === undefined
  const { organization } = useAccess()
  const members =
    useData<Member[]>(isWanted && organization ? 'members by name' : undefined, async (how) => {
      const pages = postern.members.list(organization?.id ?? '', { limit: 100 }, how)
      const rows: Member[] = []
      let cursor: string | undefined
      for (let read = 0; read < MOST_PAGES; read += 1) {
        const page = await pages.page(cursor)
        rows.push(...page.data)
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      return rows
    }).data ?? []
  const keys = useList<ApiKey>(isWanted && maySeeKeys ? 'api-keys' : undefined, (how) =>
    postern.apiKeys.list({ limit: 50 }, how),
  ).rows
  const names = new Map([
    ...members.map((member) => [String(member.accountId), nameOf(member)] as const),
    ...keys.map(({ id, name }) => [String(id), `Key ${textOf(name)}`] as const),
  ])
  const known = (id: string) => names.get(id) ?? textOf(id)
  return {
    nameOf: known,
    optionsWith: (chosen) =>
      chosen === '' || names.has(chosen) ? [...names] : [[chosen, known(chosen)], ...names],
  }
}
