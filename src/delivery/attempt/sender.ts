import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { AddressRule } from '../../net/address.ts'
import { createAgent } from '../../net/agent.ts'
import type { Resolve } from '../../net/destination.ts'
import type { IsOwnInbound } from './own-inbound.ts'
import { createSend, type Send } from './send.ts'

/** How long an idle connection to a destination is kept. A request that finds it closed is sent again on a new connection. */
const IDLE_TIMEOUT: Millis = 10 * SECOND

/** Makes attempts, by connections of its own. */
export interface Sender {
  send: Send
  /** How long its own thread was busy since the last question, in milliseconds; 0 where it has none. */
  busy(): Millis
  close(): Promise<void>
}

/** Sends in the thread that calls. */
export function createSender(
  isAllowed: AddressRule,
  isOwnInbound: IsOwnInbound,
  resolve: Resolve,
  clock: Clock,
): Sender {
  const agent = createAgent({ isAllowed, resolve, idle: IDLE_TIMEOUT })
  // An address is checked for each connection: one that was opened for an inbound path must not serve another path of that host.
  const ownAgent = createAgent({ isAllowed: () => true, resolve, idle: IDLE_TIMEOUT })
  const [send, sendToOwn] = [createSend({ agent, clock }), createSend({ agent: ownAgent, clock })]
  return {
    send: (target, request) => (isOwnInbound(target.url) ? sendToOwn : send)(target, request),
    busy: () => 0,
    async close() {
      await Promise.all([agent.close(), ownAgent.close()])
    },
  }
}
