import type { Visitor } from './door.ts'
import type { Stage } from './perform.ts'
import * as step from './steps.ts'

const OF_CUSTOMER = { 'postern-organization': 'ext:customer-42' }

/** One key of the installation makes a customer's organization, registers its webhook there and publishes for it. */
export async function oneKeyServesAll(stage: Stage, ada: Visitor): Promise<void> {
  const { print, peers, door } = stage
  print.chapter(
    'One key serves all customers',
    'A platform needs no key for each customer: a key of the installation names the organization, and makes it on first use.',
  )
  const made = await door.command(
    ...['platform-key', 'create', '--name', 'Billing platform', '--may-create-organizations'],
    ...['--scopes', 'webhooks:write,events:write,deliveries:read', '--json'],
  )
  const bearer = { kind: 'platform key', token: made.key } as const
  const platform: Visitor = { ...door.visitor('the platform'), bearer }
  const webhook = await door.call(platform, 'POST /v1/webhooks', {
    headers: OF_CUSTOMER,
    body: { url: peers.receiver.url, events: ['agent.run.completed'] },
    status: 201,
    show: step.only('id', 'status', 'secret'),
  })
  const received = peers.receiver.calls.length
  const secretOfAda = peers.receiver.secret
  peers.receiver.secret = webhook.body.secret
  const published = await step.publish(stage, platform, OF_CUSTOMER)
  const { event, status } = await peers.receiver.call(received + 1)
  peers.receiver.secret = secretOfAda
  print.peer('the receiver is called', `event ${event.id}; it answers ${status}`)
  print.check(
    'The customer’s webhook was called with its own secret, and Ada’s was not called',
    [event.id, status, peers.receiver.calls.length],
    [published.id, 204, received + 1],
  )
  const { body } = await door.call(ada, `GET /v1/webhooks/${webhook.body.id}`, {
    status: 404,
    show: step.onlyError,
  })
  print.check('To Ada the customer’s webhook does not exist', body.error.code, 'ENTITY_NOT_FOUND')
  const refused = await door.call(platform, 'GET /v1/audit-log', {
    headers: OF_CUSTOMER,
    status: 403,
    show: step.onlyError,
  })
  const { reason, scope } = refused.body.error.details
  print.check(
    'The key may do what its scopes say, and no more: the refusal names the missing one',
    [reason, scope],
    ['scope_required', 'audit:read'],
  )
}
