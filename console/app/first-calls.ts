/**
 * The first calls of each screen, by its path in the table of screens: `early.ts` makes them while the screen's modules are on
 * their way. `:id` is the id of the address. Only the server reads this table.
 */
export const FIRST_CALLS: Record<string, readonly string[]> = {
  '/': ['/v1/deliveries?limit=20', '/v1/webhooks?limit=50'],
  '/deliveries': ['/v1/deliveries?limit=50', '/v1/webhooks?limit=50'],
  '/deliveries/:id': ['/v1/deliveries/:id'],
  '/events': ['/v1/events?limit=50'],
  '/events/:id': ['/v1/events/:id'],
  '/webhooks': ['/v1/webhooks?limit=50'],
  '/webhooks/:id': ['/v1/webhooks/:id'],
  '/files': ['/v1/files?limit=50'],
  '/files/:id': ['/v1/files/:id'],
  '/runs/:id': ['/v1/runs/:id'],
  '/invitations': ['/v1/invitations?limit=50'],
  '/api-keys': ['/v1/api-keys?limit=50'],
}
