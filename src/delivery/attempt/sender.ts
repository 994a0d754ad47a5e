import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { AddressRule } from '../../net/address.ts'
import { createAgent } from '../../net/agent.ts'
import type { Resolve } from '../../net/destination.ts'
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
export function createSender(isAllowed: AddressRule, resolve: Resolve, clock: Clock): Sender {
  const agent = createAgent({ isAllowed, resolve, idle: IDLE_TIMEOUT })
  return { send: createSend({ agent, clock }), busy: () => 0, close: agent.close }
}
