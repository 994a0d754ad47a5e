/**
 * The first calls of each screen, by its path in the table of screens: `early.ts` makes them while the screen's modules are on
 * their way. In front of each stands the permission that it asks for; `/:id` is the id of the address. Only the server reads this table.
 */
export const FIRST_CALLS: Record<string, readonly string[]> = {
  '/': ['deliveries:read/v1/deliveries?limit=20', 'webhooks:read/v1/webhooks?limit=50'],
  '/deliveries': ['deliveries:read/v1/deliveries?limit=50', 'webhooks:read/v1/webhooks?limit=50'],
  '/deliveries/:id': ['deliveries:read/v1/deliveries/:id'],
  '/events': ['events:read/v1/events?limit=50'],
  '/events/:id': ['events:read/v1/events/:id'],
  '/webhooks': ['webhooks:read/v1/webhooks?limit=50'],
  '/webhooks/:id': ['webhooks:read/v1/webhooks/:id'],
  '/files': ['files:read/v1/files?limit=50'],
  '/files/:id': ['files:read/v1/files/:id'],
  '/runs/:id': ['runs:read/v1/runs/:id'],
  '/invitations': ['invitations:read/v1/invitations?limit=50'],
  '/api-keys': ['keys:read/v1/api-keys?limit=50'],
}
