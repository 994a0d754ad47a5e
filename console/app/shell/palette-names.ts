import { useEffect, useState } from 'preact/hooks'
import type { Agent, CallOptions, KnowledgeBase, Member, Pages, Webhook } from '#sdk/postern.ts'
import type { Icon } from '../../parts/icons.tsx'
import { type Access, useAccess } from '../access.ts'
import { later } from '../clock.ts'
import { useData } from '../data/cache.ts'
import { postern } from '../data/postern.ts'
import type { Permission } from '../data/session.ts'
import { pathOfId } from '../ids.ts'
import { go, to } from '../router.ts'
import type { Module } from '../screen.ts'
import { lineOfUrl, textOf } from '../words.ts'
import type { Entry } from './palette-entries.ts'

/** Results of one kind, at most; more letters find the others. */
const MOST = 5
/** Milliseconds without typing before a search starts, so that letters typed quickly make one request. */
const PAUSE = 150
/** The longest text that the API looks for. */
const LONGEST = 100

interface Query {
  search: string
  limit: number
}

/** A kind of thing that has a name: where it is listed, and what is shown of one. */
interface Kind<T> {
  note: string
  icon: Icon
  module?: Module
  permission: Permission
  list: (query: Query, how: CallOptions, access: Access) => Pages<T>
  show: (item: T) => { id: string; label: string; more?: unknown; path: string }
}

const WEBHOOKS: Kind<Webhook> = {
  ...{ note: 'Webhook', icon: 'webhook', module: 'webhooks', permission: 'webhooks:read' },
  list: (query, how) => postern.webhooks.list(query, how),
  show: ({ id, url, description }) => ({
    ...{ id, label: lineOfUrl(url), more: description, path: to(`/webhooks/${id}`) },
  }),
}

const AGENTS: Kind<Agent> = {
  ...{ note: 'Agent', icon: 'agent', module: 'agents', permission: 'agents:read' },
  list: (query, how) => postern.agents.list(query, how),
  show: ({ id, name }) => ({ id, label: textOf(name), path: to(`/agents/${id}`) }),
}

const BASES: Kind<KnowledgeBase> = {
  ...{ note: 'Knowledge base', icon: 'knowledge', module: 'knowledge', permission: 'knowledge:read' },
  list: (query, how) => postern.knowledgeBases.list(query, how),
  show: ({ id, name }) => ({ id, label: textOf(name), path: to(`/knowledge/${id}`) }),
}

const MEMBERS: Kind<Member> = {
  ...{ note: 'Member', icon: 'people', permission: 'members:read' },
  list: (query, how, { organization }) => postern.members.list(organization?.id ?? '', query, how),
  show: ({ accountId, firstName, lastName, email }) => ({
    ...{ id: accountId, label: [firstName, lastName].map(textOf).join(' ').trim() || textOf(email) },
    ...{ more: email, path: to('/members', { search: textOf(email) }) },
  }),
}

/** Searches one kind by name. */
async function read<T>(
  { note, icon, list, show }: Kind<T>,
  search: string,
  how: CallOptions,
  access: Access,
): Promise<Entry[]> {
  const { data } = await list({ search, limit: MOST }, how, access).page()
  return data.map((item) => {
    const { id, label, more, path } = show(item)
    const notes = [note, textOf(more)].filter((one) => one !== '')
    return { key: id, label, note: notes.join(' · '), icon, words: '', run: () => go(path) }
  })
}

/** Reads all kinds at once; one that cannot be read leaves the others. @throws what the SDK throws, where none can */
async function readAll(search: string, how: CallOptions, access: Access): Promise<Entry[]> {
  const readIf = <T>(kind: Kind<T>) =>
    access.reason(kind) === undefined ? [read(kind, search, how, access)] : []
  const settled = await Promise.allSettled([
    ...readIf(WEBHOOKS),
    ...readIf(AGENTS),
    ...readIf(BASES),
    ...readIf(MEMBERS),
  ])
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [first] = settled
  if (found.length === 0 && first?.status === 'rejected') throw first.reason
  return found.flat()
}

/**
 * Searches webhooks, agents, knowledge bases and members by name, a few of each, once typing has paused.
 * @returns the results for exactly this text, and whether the search still runs or has failed
 */
export function useNamed(text: string): { named: Entry[]; isSearching: boolean; hasFailed: boolean } {
  const access = useAccess()
  const sought = text.trim()
  const [asked, ask] = useState('')
  useEffect(() => later(PAUSE, () => ask(sought)), [sought])
  const isFit = access.organization !== undefined && pathOfId(asked) === undefined && asked.length <= LONGEST
  const key = asked === '' || !isFit ? undefined : `named ${asked}`
  const { data, isBusy, failure } = useData(key, (how) => readAll(asked, how, access))
  const isAsked = asked === sought
  return {
    named: isAsked ? (data ?? []) : [],
    isSearching: !isAsked || (isBusy && data === undefined),
    hasFailed: isAsked && failure !== undefined,
  }
}
