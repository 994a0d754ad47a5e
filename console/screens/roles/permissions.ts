import type { Scope, ScopePage } from '#sdk/postern.ts'
import { useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'

/** A part of the table of permissions, such as all that concern webhooks. */
export interface Group {
  title: string
  rows: readonly Scope[]
}

const TITLES: Record<string, string> = {
  organization: 'The organization',
  webhooks: 'Webhooks and events',
  connections: 'Connections',
  files: 'Files',
  knowledge: 'Knowledge bases',
  agents: 'Agents',
}

/** Every permission, in the groups and the order of the table. */
export function usePermissionGroups(): { groups: readonly Group[]; all: readonly string[] } {
  const { data } = useData('scopes', (how) => postern.apiKeys.scopes(how).page() as Promise<ScopePage>)
  const rows = data?.data ?? []
  const nameOf = ({ module }: Scope) => module ?? 'organization'
  const names = [...new Set(rows.map(nameOf))]
  return {
    groups: names.map((name) => ({
      title: TITLES[name] ?? name,
      rows: rows.filter((row) => nameOf(row) === name),
    })),
    all: rows.map(({ scope }) => scope),
  }
}
