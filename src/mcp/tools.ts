/** A tool of `/mcp`: a route of the API under a name for models. */
export interface ToolRow {
  name: string
  /** The route that it stands for: its rights, its limits and its schema are the tool's. */
  operationId: string
  title: string
  description: string
  /** Whether calling it changes nothing; models are told so. */
  isReadOnly: boolean
  /** Whether the route knows the `Idempotency-Key`. */
  takesKey: boolean
  /** Members of the route that are always of the caller's own organization. */
  ofOrganization?: 'id'
}

/** What an organization's own API offers to models, in the order in which it is listed. */
export const TOOLS: readonly ToolRow[] = [
  {
    name: 'publish_event',
    operationId: 'publishEvent',
    title: 'Publish an event',
    description:
      'Publishes an event. Once this is answered the event is on disk, and each webhook that subscribes to its type gets it, signed. `list_event_types` has the types and the JSON Schema of their `data`.',
    isReadOnly: false,
    takesKey: true,
  },
  {
    name: 'list_event_types',
    operationId: 'listEventTypes',
    title: 'List event types',
    description: 'Lists the types of events that can be published, with the JSON Schema of their `data`.',
    isReadOnly: true,
    takesKey: false,
  },
  {
    name: 'list_webhooks',
    operationId: 'listWebhooks',
    title: 'List webhooks',
    description: 'Lists the webhooks of the organization, newest first.',
    isReadOnly: true,
    takesKey: false,
  },
  {
    name: 'list_deliveries',
    operationId: 'listDeliveries',
    title: 'List deliveries',
    description:
      'Lists what was sent to one webhook (`id`), newest first. `status: failed` finds what never arrived.',
    isReadOnly: true,
    takesKey: false,
  },
  {
    name: 'retry_delivery',
    operationId: 'retryDelivery',
    title: 'Retry a delivery',
    description:
      'Sends one delivery (`id`) once more: an ended one as a new one, a waiting one now. The receiver gets the same event id.',
    isReadOnly: false,
    takesKey: true,
  },
  {
    name: 'create_invitation',
    operationId: 'createInvitation',
    title: 'Invite a person',
    description: 'Invites a person into the organization by e-mail.',
    isReadOnly: false,
    takesKey: true,
  },
  {
    name: 'list_members',
    operationId: 'listMembers',
    title: 'List members',
    description: 'Lists the people of the organization and their roles.',
    isReadOnly: true,
    takesKey: false,
    ofOrganization: 'id',
  },
]
