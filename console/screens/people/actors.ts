import { useRef } from 'preact/hooks'
import type { Actor, CallOptions, Member, ServiceAccount } from '#sdk/postern.ts'
import { useAccess, useMay } from '../../app/access.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { nameOf } from './invitations-data.ts'

/** As many ids as one request names. */
const AT_ONCE = 100
const ACTOR = /^(acc|svc|key|pky|idp|sul)_/

const NAMES: Record<Actor['kind'], (name: string) => string> = {
  member: (name) => name,
  former_member: (name) => `${name} (former member)`,
  service_account: (name) => (name === '' ? 'a service account' : `Service ${name}`),
  api_key: (name) => (name === '' ? 'an API key' : `Key ${name}`),
  platform_key: (name) => (name === '' ? 'the platform' : `Platform ${name}`),
  identity_provider: (name) => `Sign-in by ${name}`,
  setup_link: (name) => `${name} (setup link)`,
}

/** What stands for an id whose row is gone, by its prefix. */
const GONE: Record<string, string> = {
  svc: 'a deleted service account',
  key: 'a deleted API key',
  pky: 'a revoked key of the platform',
  idp: 'a deleted identity provider',
  sul: 'a former setup link',
}

/**
 * Names of accounts, service accounts and keys by the ids in records (`createdBy`, `actorId`, `inviterId`). A name that was read
 * is kept while more rows arrive.
 * @returns the name of an id, a few words for a deleted account or key, and the id itself where it is of neither
 */
export function useNames(ids: readonly unknown[]): (id: unknown) => string {
  const wanted = [...new Set(ids.map(textOf))].filter((id) => ACTOR.test(id)).sort()
  const kept = useRef(new Map<string, string>())
  const mayRead = useMay()('members:read')
  const isWanted = mayRead && wanted.length > 0
  const { data, failure } = useData<Actor[]>(isWanted ? `actors ${wanted}` : undefined, (how) =>
    readActors(wanted, how),
  )
  for (const { id, kind, name } of data ?? []) kept.current.set(id, NAMES[kind](textOf(name)))
  return (id) => {
    const text = textOf(id)
    const known = kept.current.get(text)
    if (known !== undefined || !ACTOR.test(text)) return known ?? text
    if (data === undefined) return mayRead && failure === undefined ? '…' : text
    return GONE[text.slice(0, 3)] ?? 'a former member'
  }
}

async function readActors(ids: readonly string[], how: CallOptions): Promise<Actor[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, at) =>
    ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
  const pages = parts.map((part) => postern.actors.list({ ids: part.join(',') }, how).page())
  return (await Promise.all(pages)).flatMap(({ data }) => data)
}

/** A filter offers at most this many members by name; any other member is filtered by the id. */
const MOST_MEMBERS = 1_000

/** The options of a filter by member: those that the person may see. */
export function useMemberChoices(): (readonly [id: string, name: string])[] {
  const { organization, may } = useAccess()
  const { data = [] } = useData<Member[]>(
    organization && may('members:read') ? 'members by name' : undefined,
    (how) => postern.members.list(organization?.id ?? '', { limit: 100 }, how).take(MOST_MEMBERS),
  )
  return data.map((member) => [String(member.accountId), nameOf(member)] as const)
}

/** The options of a filter by actor: the members and service accounts that the person may see, and the chosen id. */
export function useActorChoices(chosen: string): (readonly [id: string, name: string])[] {
  const may = useMay()
  const members = useMemberChoices()
  const machines = useList<ServiceAccount>(may('keys:read') ? 'service-accounts' : undefined, (how) =>
    postern.serviceAccounts.list({ limit: 50 }, how),
  ).rows
  const nameOfChosen = useNames([chosen])
  const choices = [
    ...members,
    ...machines.map(({ id, name }) => [String(id), NAMES.service_account(textOf(name))] as const),
  ]
  if (chosen === '' || choices.some(([id]) => id === chosen)) return choices
  return [[chosen, nameOfChosen(chosen)], ...choices]
}
