import type { ScreenRow } from './screen.ts'

/** Entries of the navigation that are pages of the server, not screens; paths are below its root. */
export const ELSEWHERE: readonly Pick<ScreenRow, 'path' | 'title' | 'group' | 'icon'>[] = [
  {
    path: '/api/docs',
    title: 'API reference',
    group: 'Build',
    icon: 'type',
  },
]

/** Every screen: navigation, palette, keys, the server's preloading and the tests go over this table. */
export const SCREENS: readonly ScreenRow[] = [
  {
    path: '/',
    title: 'Overview',
    group: '',
    icon: 'overview',
    key: 'o',
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    path: '/deliveries',
    title: 'Deliveries',
    group: 'Deliver',
    icon: 'delivery',
    key: 'd',
    permission: 'deliveries:read',
    module: 'webhooks',
    load: () => import('../screens/deliveries/deliveries.tsx'),
  },
  {
    path: '/deliveries/:id',
    title: 'Delivery',
    permission: 'deliveries:read',
    module: 'webhooks',
    load: () => import('../screens/deliveries/delivery.tsx'),
  },
  {
    path: '/events',
    title: 'Events',
    group: 'Deliver',
    icon: 'event',
    key: 'e',
    permission: 'events:read',
    module: 'webhooks',
    load: () => import('../screens/events/events.tsx'),
  },
  {
    path: '/events/:id',
    title: 'Event',
    permission: 'events:read',
    module: 'webhooks',
    load: () => import('../screens/events/event.tsx'),
  },
  {
    path: '/compose',
    title: 'Composer',
    group: 'Deliver',
    icon: 'compose',
    key: 'c',
    permission: 'events:write',
    module: 'webhooks',
    load: () => import('../screens/composer/composer.tsx'),
  },
  {
    path: '/event-types',
    title: 'Event types',
    group: 'Deliver',
    icon: 'type',
    key: 't',
    permission: 'event_types:read',
    module: 'webhooks',
    load: () => import('../screens/event-types/event-types.tsx'),
  },
  {
    path: '/event-types/new',
    title: 'New event type',
    permission: 'event_types:write',
    module: 'webhooks',
    load: () => import('../screens/event-types/new-event-type.tsx'),
  },
  {
    path: '/event-types/:name',
    title: 'Event type',
    permission: 'event_types:read',
    module: 'webhooks',
    load: () => import('../screens/event-types/event-type.tsx'),
  },
  {
    path: '/event-types/:name/change',
    title: 'Change an event type',
    permission: 'event_types:write',
    module: 'webhooks',
    load: () => import('../screens/event-types/change-event-type.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Deliver',
    icon: 'webhook',
    key: 'w',
    permission: 'webhooks:read',
    module: 'webhooks',
    load: () => import('../screens/webhooks/webhooks.tsx'),
  },
  {
    path: '/webhooks/new',
    title: 'New webhook',
    permission: 'webhooks:write',
    module: 'webhooks',
    load: () => import('../screens/webhooks/new-webhook.tsx'),
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook',
    permission: 'webhooks:read',
    module: 'webhooks',
    load: () => import('../screens/webhooks/webhook.tsx'),
  },
  {
    path: '/capture',
    title: 'Capture',
    group: 'Deliver',
    icon: 'capture',
    key: 'x',
    permission: 'captures:read',
    module: 'webhooks',
    load: () => import('../screens/capture/capture.tsx'),
  },
  {
    path: '/doctor',
    title: 'Signature doctor',
    group: 'Deliver',
    icon: 'doctor',
    key: 'v',
    load: () => import('../screens/doctor/doctor.tsx'),
  },
  {
    path: '/files',
    title: 'Files',
    group: 'Work',
    icon: 'file',
    key: 'f',
    permission: 'files:read',
    module: 'files',
    load: () => import('../screens/files/files.tsx'),
  },
  {
    path: '/files/:id',
    title: 'File',
    permission: 'files:read',
    module: 'files',
    load: () => import('../screens/files/file.tsx'),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    group: 'Work',
    icon: 'knowledge',
    key: 'k',
    permission: 'knowledge:read',
    module: 'knowledge',
    load: () => import('../screens/knowledge/knowledge.tsx'),
  },
  {
    path: '/knowledge/:id',
    title: 'Knowledge base',
    permission: 'knowledge:read',
    module: 'knowledge',
    load: () => import('../screens/knowledge/base.tsx'),
  },
  {
    path: '/documents/:id',
    title: 'Document',
    permission: 'knowledge:read',
    module: 'knowledge',
    load: () => import('../screens/knowledge/document.tsx'),
  },
  {
    path: '/agents',
    title: 'Agents',
    group: 'Work',
    icon: 'agent',
    key: 'g',
    permission: 'agents:read',
    module: 'agents',
    load: () => import('../screens/agents/agents.tsx'),
  },
  {
    path: '/agents/new',
    title: 'New agent',
    permission: 'agents:write',
    module: 'agents',
    load: () => import('../screens/agents/new-agent.tsx'),
  },
  {
    path: '/agents/:id',
    title: 'Agent',
    permission: 'agents:read',
    module: 'agents',
    load: () => import('../screens/agents/agent.tsx'),
  },
  {
    path: '/runs',
    title: 'Runs',
    group: 'Work',
    icon: 'run',
    key: 'r',
    permission: 'runs:read',
    module: 'agents',
    load: () => import('../screens/runs/runs.tsx'),
  },
  {
    path: '/runs/:id',
    title: 'Run',
    permission: 'runs:read',
    module: 'agents',
    load: () => import('../screens/runs/run.tsx'),
  },
  {
    path: '/conversations',
    title: 'Conversations',
    group: 'Work',
    icon: 'conversation',
    key: 'l',
    permission: 'conversations:read',
    module: 'agents',
    load: () => import('../screens/conversations/conversations.tsx'),
  },
  {
    path: '/conversations/:id',
    title: 'Conversation',
    permission: 'conversations:read',
    module: 'agents',
    load: () => import('../screens/conversations/conversation.tsx'),
  },
  {
    path: '/mcp-servers',
    title: 'MCP servers',
    group: 'Work',
    icon: 'plug',
    permission: 'mcp_servers:read',
    module: 'agents',
    load: () => import('../screens/mcp/servers.tsx'),
  },
  {
    path: '/mcp-servers/:id',
    title: 'MCP server',
    permission: 'mcp_servers:read',
    module: 'agents',
    load: () => import('../screens/mcp/server.tsx'),
  },
  {
    path: '/models',
    title: 'Models',
    group: 'Work',
    icon: 'model',
    permission: 'agents:read',
    module: 'agents',
    load: () => import('../screens/agents/models.tsx'),
  },
  {
    path: '/invitations',
    title: 'Invitations',
    group: 'People',
    icon: 'invitation',
    key: 'i',
    permission: 'invitations:read',
    load: () => import('../screens/people/invitations.tsx'),
  },
  {
    path: '/invitations/:id',
    title: 'Invitation',
    permission: 'invitations:read',
    load: () => import('../screens/people/invitation.tsx'),
  },
  {
    path: '/mails',
    title: 'Mails',
    permission: 'mails:read',
    load: () => import('../screens/people/mails.tsx'),
  },
  {
    path: '/members',
    title: 'Members',
    group: 'People',
    icon: 'people',
    key: 'm',
    permission: 'members:read',
    load: () => import('../screens/people/members.tsx'),
  },
  {
    path: '/roles',
    title: 'Roles',
    group: 'People',
    icon: 'role',
    permission: 'roles:read',
    load: () => import('../screens/roles/roles.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit log',
    group: 'People',
    icon: 'audit',
    key: 'u',
    permission: 'audit:read',
    load: () => import('../screens/audit/audit.tsx'),
  },
  {
    path: '/credits',
    title: 'Credits',
    group: 'Organization',
    icon: 'credits',
    key: 'b',
    permission: 'billing:read',
    load: () => import('../screens/credits/credits.tsx'),
  },
  {
    path: '/credits/:id',
    title: 'Checkout',
    permission: 'billing:read',
    load: () => import('../screens/credits/checkout.tsx'),
  },
  {
    path: '/api-keys',
    title: 'API keys',
    group: 'Organization',
    icon: 'key',
    key: 'a',
    permission: 'keys:read',
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    path: '/service-accounts',
    title: 'Service accounts',
    permission: 'keys:read',
    load: () => import('../screens/keys/service-accounts.tsx'),
  },
  {
    path: '/grants',
    title: 'Applications',
    group: 'Organization',
    icon: 'plug',
    permission: 'keys:read',
    load: () => import('../screens/grants/grants.tsx'),
  },
  {
    path: '/connections',
    title: 'Connections',
    group: 'Organization',
    icon: 'connection',
    key: 'n',
    permission: 'connections:read',
    module: 'connections',
    load: () => import('../screens/connections/connections.tsx'),
  },
  {
    path: '/connections/:id',
    title: 'Connection',
    permission: 'connections:read',
    module: 'connections',
    load: () => import('../screens/connections/connection.tsx'),
  },
  {
    path: '/domains',
    title: 'Domains',
    group: 'Organization',
    icon: 'domain',
    permission: 'sign_in:read',
    load: () => import('../screens/domains/domains.tsx'),
  },
  {
    path: '/identity-providers',
    title: 'Identity providers',
    group: 'Organization',
    icon: 'lock',
    permission: 'sign_in:read',
    load: () => import('../screens/identity-providers/providers.tsx'),
  },
  {
    path: '/directory',
    title: 'Directory',
    group: 'Organization',
    icon: 'server',
    permission: 'sign_in:read',
    load: () => import('../screens/directory/directory.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    group: 'Organization',
    icon: 'settings',
    key: 's',
    load: () => import('../screens/settings/settings.tsx'),
  },
  {
    path: '/installation',
    title: 'Installation',
    load: () => import('../screens/operator/installation.tsx'),
  },
  {
    path: '/me',
    title: 'Your account',
    load: () => import('../screens/me/me.tsx'),
  },
]

/**
 * @param path below the organization
 * @returns the first row that fits, with the parts of the path that its pattern names; undefined where there is no such screen
 */
export function screenAt(path: string): { screen: ScreenRow; params: Record<string, string> } | undefined {
  for (const screen of SCREENS) {
    const params = matchOf(screen.path, path)
    if (params !== undefined) return { screen, params }
  }
  return undefined
}

/** The parts of a path that a pattern names; undefined where it is another path. */
function matchOf(pattern: string, path: string): Record<string, string> | undefined {
  const [named, given] = [pattern.split('/'), path.split('/')]
  if (named.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, name] of named.entries()) {
    const part = given[at] ?? ''
    if (!name.startsWith(':')) {
      if (name !== part) return undefined
    } else if (part === '') return undefined
    else params[name.slice(1)] = decode(part)
  }
  return params
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
