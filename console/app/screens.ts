import type { ComponentType } from 'preact'
import type { Icon } from '../parts/icons.tsx'

export type Module = 'webhooks' | 'connections' | 'files' | 'knowledge' | 'agents'

/** What a screen is given: the parts of its path that have a name. */
export interface ScreenProps {
  params: Record<string, string>
}

/** Parts of the navigation, in their order. */
export const GROUPS = ['', 'Deliver', 'Work', 'Build', 'People', 'Organization'] as const

/** A screen: what stands at a path, who may see it, and how people find it. */
export interface ScreenRow {
  /** Below the organization; `:name` is one part of it. The first row that fits counts. */
  path: string
  title: string
  /** Where it stands in the navigation; a screen without one is reached from others. */
  group?: (typeof GROUPS)[number]
  icon?: Icon
  /** The letter after `g` that leads there. */
  key?: string
  /** Who may do something here; whoever may not sees it in the navigation with the reason. */
  role?: 'administrator'
  module?: Module
  /** What else people call it; for the palette. */
  words?: string
  load: () => Promise<{ Screen: ComponentType<ScreenProps> }>
}

/** What stands in the navigation, and is no screen: pages of the server, below its root. */
export const ELSEWHERE: readonly Pick<ScreenRow, 'path' | 'title' | 'group' | 'icon' | 'words'>[] = [
  {
    path: '/api/docs',
    title: 'API reference',
    group: 'Build',
    icon: 'type',
    words: 'documentation openapi endpoints try curl sdk',
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
    words: 'home start problems',
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    path: '/deliveries',
    title: 'Deliveries',
    group: 'Deliver',
    icon: 'delivery',
    key: 'd',
    module: 'webhooks',
    words: 'attempts logs messages tail live',
    load: () => import('../screens/deliveries/deliveries.tsx'),
  },
  {
    path: '/deliveries/:id',
    title: 'Delivery',
    module: 'webhooks',
    load: () => import('../screens/deliveries/delivery.tsx'),
  },
  {
    path: '/events',
    title: 'Events',
    group: 'Deliver',
    icon: 'event',
    key: 'e',
    module: 'webhooks',
    words: 'messages facts published',
    load: () => import('../screens/events/events.tsx'),
  },
  {
    path: '/events/:id',
    title: 'Event',
    module: 'webhooks',
    load: () => import('../screens/events/event.tsx'),
  },
  {
    path: '/compose',
    title: 'Composer',
    group: 'Deliver',
    icon: 'compose',
    key: 'c',
    role: 'administrator',
    module: 'webhooks',
    words: 'publish send event new',
    load: () => import('../screens/composer/composer.tsx'),
  },
  {
    path: '/event-types',
    title: 'Event types',
    group: 'Deliver',
    icon: 'type',
    key: 't',
    module: 'webhooks',
    words: 'schemas catalogue catalog examples',
    load: () => import('../screens/event-types/event-types.tsx'),
  },
  {
    path: '/event-types/new',
    title: 'New event type',
    role: 'administrator',
    module: 'webhooks',
    words: 'create add register schema',
    load: () => import('../screens/event-types/new-event-type.tsx'),
  },
  {
    path: '/event-types/:name',
    title: 'Event type',
    module: 'webhooks',
    load: () => import('../screens/event-types/event-type.tsx'),
  },
  {
    path: '/event-types/:name/change',
    title: 'Change an event type',
    role: 'administrator',
    module: 'webhooks',
    load: () => import('../screens/event-types/change-event-type.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Deliver',
    icon: 'webhook',
    key: 'w',
    module: 'webhooks',
    words: 'endpoints destinations urls',
    load: () => import('../screens/webhooks/webhooks.tsx'),
  },
  {
    path: '/webhooks/new',
    title: 'New webhook',
    role: 'administrator',
    module: 'webhooks',
    words: 'create add endpoint',
    load: () => import('../screens/webhooks/new-webhook.tsx'),
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook',
    module: 'webhooks',
    load: () => import('../screens/webhooks/webhook.tsx'),
  },
  {
    path: '/capture',
    title: 'Capture',
    group: 'Deliver',
    icon: 'capture',
    key: 'x',
    role: 'administrator',
    module: 'webhooks',
    words: 'inbound inspect request bin calls from outside',
    load: () => import('../screens/capture/capture.tsx'),
  },
  {
    path: '/doctor',
    title: 'Signature doctor',
    group: 'Deliver',
    icon: 'doctor',
    key: 'v',
    words: 'verify hmac secret 401 webhook-signature',
    load: () => import('../screens/doctor/doctor.tsx'),
  },
  {
    path: '/files',
    title: 'Files',
    group: 'Work',
    icon: 'file',
    key: 'f',
    module: 'files',
    words: 'upload documents pdf text',
    load: () => import('../screens/files/files.tsx'),
  },
  {
    path: '/files/:id',
    title: 'File',
    module: 'files',
    load: () => import('../screens/files/file.tsx'),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    group: 'Work',
    icon: 'knowledge',
    key: 'k',
    module: 'knowledge',
    words: 'bases search rag documents',
    load: () => import('../screens/knowledge/knowledge.tsx'),
  },
  {
    path: '/knowledge/:id',
    title: 'Knowledge base',
    module: 'knowledge',
    load: () => import('../screens/knowledge/base.tsx'),
  },
  {
    path: '/documents/:id',
    title: 'Document',
    module: 'knowledge',
    load: () => import('../screens/knowledge/document.tsx'),
  },
  {
    path: '/agents',
    title: 'Agents',
    group: 'Work',
    icon: 'agent',
    key: 'g',
    module: 'agents',
    words: 'assistants bots ai',
    load: () => import('../screens/agents/agents.tsx'),
  },
  {
    path: '/agents/new',
    title: 'New agent',
    role: 'administrator',
    module: 'agents',
    words: 'create add assistant',
    load: () => import('../screens/agents/new-agent.tsx'),
  },
  {
    path: '/agents/:id',
    title: 'Agent',
    module: 'agents',
    load: () => import('../screens/agents/agent.tsx'),
  },
  {
    path: '/runs',
    title: 'Runs',
    group: 'Work',
    icon: 'run',
    key: 'r',
    module: 'agents',
    words: 'jobs executions approvals',
    load: () => import('../screens/runs/runs.tsx'),
  },
  {
    path: '/runs/:id',
    title: 'Run',
    module: 'agents',
    load: () => import('../screens/runs/run.tsx'),
  },
  {
    path: '/conversations',
    title: 'Conversations',
    group: 'Work',
    icon: 'conversation',
    key: 'l',
    module: 'agents',
    words: 'chat talk ask messages',
    load: () => import('../screens/conversations/conversations.tsx'),
  },
  {
    path: '/conversations/:id',
    title: 'Conversation',
    module: 'agents',
    load: () => import('../screens/conversations/conversation.tsx'),
  },
  {
    path: '/mcp-servers',
    title: 'MCP servers',
    group: 'Work',
    icon: 'plug',
    role: 'administrator',
    module: 'agents',
    words: 'tools model context protocol',
    load: () => import('../screens/mcp/servers.tsx'),
  },
  {
    path: '/mcp-servers/:id',
    title: 'MCP server',
    role: 'administrator',
    module: 'agents',
    load: () => import('../screens/mcp/server.tsx'),
  },
  {
    path: '/models',
    title: 'Models',
    group: 'Work',
    icon: 'model',
    module: 'agents',
    words: 'llm prices tokens',
    load: () => import('../screens/agents/models.tsx'),
  },
  {
    path: '/invitations',
    title: 'Invitations',
    group: 'People',
    icon: 'invitation',
    key: 'i',
    role: 'administrator',
    words: 'invite people mail bulk',
    load: () => import('../screens/people/invitations.tsx'),
  },
  {
    path: '/invitations/:id',
    title: 'Invitation',
    role: 'administrator',
    load: () => import('../screens/people/invitation.tsx'),
  },
  {
    path: '/mails',
    title: 'Mails',
    role: 'administrator',
    words: 'outbox smtp sent',
    load: () => import('../screens/people/mails.tsx'),
  },
  {
    path: '/members',
    title: 'Members',
    group: 'People',
    icon: 'people',
    key: 'm',
    words: 'users roles team leave',
    load: () => import('../screens/people/members.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit log',
    group: 'People',
    icon: 'audit',
    key: 'u',
    role: 'administrator',
    words: 'who did what history trail',
    load: () => import('../screens/audit/audit.tsx'),
  },
  {
    path: '/credits',
    title: 'Credits',
    group: 'Organization',
    icon: 'credits',
    key: 'b',
    words: 'balance ledger plan billing buy checkout',
    load: () => import('../screens/credits/credits.tsx'),
  },
  {
    path: '/credits/:id',
    title: 'Checkout',
    load: () => import('../screens/credits/checkout.tsx'),
  },
  {
    path: '/api-keys',
    title: 'API keys',
    group: 'Organization',
    icon: 'key',
    key: 'a',
    role: 'administrator',
    words: 'tokens machines psk',
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    path: '/connections',
    title: 'Connections',
    group: 'Organization',
    icon: 'connection',
    key: 'n',
    module: 'connections',
    words: 'oauth providers accounts tokens',
    load: () => import('../screens/connections/connections.tsx'),
  },
  {
    path: '/connections/:id',
    title: 'Connection',
    module: 'connections',
    load: () => import('../screens/connections/connection.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    group: 'Organization',
    icon: 'settings',
    key: 's',
    words: 'organization name rename modules plan',
    load: () => import('../screens/settings/settings.tsx'),
  },
  {
    path: '/installation',
    title: 'Installation',
    words: 'operator server backlog workers doctor organizations disk',
    load: () => import('../screens/operator/installation.tsx'),
  },
  {
    path: '/me',
    title: 'Your account',
    words: 'profile name password sessions devices me',
    load: () => import('../screens/me/me.tsx'),
  },
]
