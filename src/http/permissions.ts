import { createBoundedMap } from '../core/bounded-map.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Module } from '../core/plans.ts'
import { fingerprint } from '../core/secret.ts'
import type { Role } from '../db/tables/tables.ts'

interface Row {
  /** The lowest fixed role that has it; administrators have every permission. */
  role: Role
  /** The plan's module that its operations belong to. */
  module?: Module
  about: string
  /** The permission for resources of other owners, where this one covers only the caller's own. */
  all?: `${'files' | 'runs' | 'conversations'}:all`
}

/**
 * The permissions of callers in an organization. Each route requires one, roles consist of them, and API keys may be
 * narrowed to some (scopes). Operations for members and for administrators never share a permission.
 */
const PERMISSIONS = {
  'organization:read': { role: 'member', about: 'Read the name and the plan of the organization.' },
  'organization:write': { role: 'administrator', about: 'Rename the organization.' },
  'members:read': { role: 'member', about: 'List members, and name the accounts and keys in records.' },
  'members:write': { role: 'administrator', about: 'Change the roles of members, and remove members.' },
  'invitations:read': { role: 'administrator', about: 'Read invitations.' },
  'invitations:write': { role: 'administrator', about: 'Invite people; resend and revoke invitations.' },
  'roles:read': { role: 'member', about: 'List roles, with what each permits.' },
  'roles:write': {
    role: 'administrator',
    about: 'Create, change and delete roles that permit no more than the caller may do.',
  },
  'sign_in:read': {
    role: 'administrator',
    about: 'Read the domains and identity providers of the organization, and how it provisions.',
  },
  'sign_in:write': {
    role: 'administrator',
    about:
      'Claim, prove and give up domains; make, change and delete identity providers; say which groups give which roles.',
  },
  'scim:write': {
    role: 'administrator',
    about: 'Provision users and groups by SCIM.',
  },
  'mails:read': { role: 'administrator', about: 'Read which mails went out, and which did not.' },
  'keys:read': { role: 'administrator', about: 'Read service accounts and API keys, and their names.' },
  'keys:write': { role: 'administrator', about: 'Create, change and delete service accounts and API keys.' },
  'audit:read': { role: 'administrator', about: 'Read the audit log.' },
  'billing:read': { role: 'member', about: 'Read plans, the balance, the ledger and checkouts.' },
  'billing:write': { role: 'administrator', about: 'Buy plans and credits.' },
  'events:read': { role: 'member', module: 'webhooks', about: 'Read events.' },
  'events:write': { role: 'administrator', module: 'webhooks', about: 'Publish events.' },
  'event_types:read': { role: 'member', module: 'webhooks', about: 'Read event types and their schemas.' },
  'event_types:write': {
    ...{ role: 'administrator', module: 'webhooks' },
    about: 'Register, change and delete event types.',
  },
  'webhooks:read': { role: 'member', module: 'webhooks', about: 'Read webhooks and their figures.' },
  'webhooks:write': {
    ...{ role: 'administrator', module: 'webhooks' },
    about: 'Create, change, test and delete webhooks, and rotate their secrets.',
  },
  'deliveries:read': {
    ...{ role: 'member', module: 'webhooks' },
    about: 'Read deliveries, their attempts and figures, and replays.',
  },
  'deliveries:write': {
    ...{ role: 'administrator', module: 'webhooks' },
    about: 'Retry deliveries; start and end replays.',
  },
  'captures:read': { role: 'administrator', module: 'webhooks', about: 'Read captured calls.' },
  'captures:write': {
    ...{ role: 'administrator', module: 'webhooks' },
    about: 'Capture calls to a webhook, and deliver captured ones.',
  },
  'connections:read': {
    ...{ role: 'member', module: 'connections' },
    about: 'Read connections and providers.',
  },
  'connections:write': {
    ...{ role: 'administrator', module: 'connections' },
    about: 'Connect accounts at providers; refresh and delete connections.',
  },
  'connections:use': {
    ...{ role: 'administrator', module: 'connections' },
    about: 'Call providers with the tokens of connections.',
  },
  'files:read': { role: 'member', module: 'files', about: 'Read files, their bytes and their text.' },
  'files:write': {
    ...{ role: 'member', module: 'files', all: 'files:all' },
    about: 'Upload, fetch and process files, and delete own ones.',
  },
  'files:all': {
    ...{ role: 'administrator', module: 'files' },
    about: 'Delete files of others too, together with `files:write`.',
  },
  'knowledge:read': {
    ...{ role: 'member', module: 'knowledge' },
    about: 'Read and search knowledge bases and their documents.',
  },
  'knowledge:write': {
    ...{ role: 'administrator', module: 'knowledge' },
    about: 'Create, change and delete knowledge bases.',
  },
  'documents:write': {
    ...{ role: 'member', module: 'knowledge' },
    about: 'Add, replace, index and delete documents.',
  },
  'agents:read': { role: 'member', module: 'agents', about: 'Read agents, their versions and models.' },
  'agents:write': {
    ...{ role: 'administrator', module: 'agents' },
    about: 'Create, change and delete agents.',
  },
  'mcp_servers:read': { role: 'administrator', module: 'agents', about: 'Read MCP servers and their tools.' },
  'mcp_servers:write': {
    ...{ role: 'administrator', module: 'agents' },
    about: 'Register, change, refresh and delete MCP servers.',
  },
  'runs:read': {
    ...{ role: 'member', module: 'agents', all: 'runs:all' },
    about: 'Read own runs, their steps and events.',
  },
  'runs:write': {
    ...{ role: 'member', module: 'agents', all: 'runs:all' },
    about: 'Start runs and get their output; cancel and resume own ones.',
  },
  'runs:all': {
    ...{ role: 'administrator', module: 'agents' },
    about: 'Runs of others too, as far as the other scopes for runs and approvals reach.',
  },
  'approvals:write': {
    ...{ role: 'member', module: 'agents', all: 'runs:all' },
    about: 'Approve and deny calls of tools, where the tool lets a key decide.',
  },
  'conversations:read': {
    ...{ role: 'member', module: 'agents', all: 'conversations:all' },
    about: 'Read own conversations.',
  },
  'conversations:write': {
    ...{ role: 'member', module: 'agents', all: 'conversations:all' },
    about: 'Begin and delete own conversations, and start runs in them.',
  },
  'conversations:all': {
    ...{ role: 'administrator', module: 'agents' },
    about: 'Conversations of others too, as far as the other scopes for conversations reach.',
  },
} as const satisfies Record<`${string}:${string}`, Row>

export type Permission = keyof typeof PERMISSIONS
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[]
/** A set that is created once and shared by all callers with the same permissions. */
export type Permissions = ReadonlySet<Permission>

/** The table row of a permission. */
export const permissionRow = (name: Permission): Row => PERMISSIONS[name]

/** Whether the access of a route is a permission. */
export function isPermission(asked: string): asked is Permission {
  return Object.hasOwn(PERMISSIONS, asked)
}

const OF_ROLE: Record<Role, Permissions> = {
  administrator: new Set(PERMISSION_NAMES),
  member: new Set(PERMISSION_NAMES.filter((name) => permissionRow(name).role === 'member')),
}

/** Scope lists whose sets are cached. */
const MOST_LISTS = 10_000
const narrowed = createBoundedMap<string, Permissions>(MOST_LISTS)

/**
 * The permissions of a role, narrowed to scopes.
 * @param scopes the column of an API key: a JSON list of names, or null for all permissions of the role; unknown names
 * are ignored
 */
export function permissionsOf(role: Role, scopes: string | null = null): Permissions {
  if (scopes === null) return OF_ROLE[role]
  const key = `${role} ${scopes}`
  const known = narrowed.get(key)
  if (known !== undefined) return known
  const listed = new Set(JSON.parse(scopes) as string[])
  const made = new Set([...OF_ROLE[role]].filter((name) => listed.has(name)))
  narrowed.set(key, made)
  return made
}

const marks = new WeakMap<Permissions, string>()

/**
 * A text that is equal in every process for equal sets, and different for different sets; '' for all permissions of a
 * role.
 */
export function markOf(permissions: Permissions): string {
  if (permissions === OF_ROLE.administrator || permissions === OF_ROLE.member) return ''
  const mark = marks.get(permissions) ?? fingerprint([...permissions].join(' ')).slice(0, 16)
  marks.set(permissions, mark)
  return mark
}

/** A caller's role in an organization: a fixed role, or the id of a custom role. */
export type RoleName = Role | Id<'role'>

/** A membership's role as stored; `permissions` are those of the custom role in `role_id`. */
export interface HeldRole {
  role: Role
  role_id: Id<'role'> | null
  permissions: string | null
}

/** The role's name in requests and tokens, and its permissions. A deleted custom role permits nothing. */
export function rightsOf(held: HeldRole): { role: RoleName; permissions: Permissions } {
  if (held.role_id === null) return { role: held.role, permissions: permissionsOf(held.role) }
  return { role: held.role_id, permissions: permissionsOf('administrator', held.permissions ?? '[]') }
}

/** The caller's permissions that a JSON list of scopes contains. */
export function narrowTo(permissions: Permissions, scopes: string): Permissions {
  const listed = new Set(JSON.parse(scopes) as string[])
  return permissionsOf('administrator', JSON.stringify([...permissions].filter((name) => listed.has(name))))
}

/** Whether a role is an organization's custom role. */
export function isOwnRole(role: RoleName): role is Id<'role'> {
  return role !== 'administrator' && role !== 'member'
}

/**
 * The error for a missing permission: by the role, or by the scopes of the key or grant.
 * @param ofRole the permissions of the role, where the caller has fewer
 */
export function lackOf(role: RoleName, scope: Permission, ofRole?: Permissions): ApiError {
  if (ofRole?.has(scope)) return new ApiError('FORBIDDEN', { reason: 'scope_required', scope })
  if (isOwnRole(role)) return new ApiError('FORBIDDEN', { reason: 'permission_required', scope })
  const reason = OF_ROLE[role].has(scope) ? 'scope_required' : 'administrator_required'
  return new ApiError('FORBIDDEN', { reason, scope })
}
