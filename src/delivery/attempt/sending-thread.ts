import { workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { serveQuestions } from '../../core/thread.ts'
import { addressRule } from '../../net/address.ts'
import { createResolver } from '../../net/resolver.ts'
import { ownInbound } from './own-inbound.ts'
import type { DeliveryRequest, Sent, Target } from './send.ts'
import { createSender } from './sender.ts'

/** An attempt to make, or a heartbeat, which the event loop of the thread answers. */
export type Question = { target: Target; request: DeliveryRequest } | 'heartbeat'
export type Answer = Sent | 'heartbeat'

/** Which destinations the thread may call: `WEBHOOK_ALLOWED_NETWORKS`, and the `BASE_URL` of its own inbound paths. */
export interface SendingRules {
  allowedNetworks: string[]
  baseUrl: string
}

/** Runs in a worker thread (`thread-sender.ts`). A secret is in its memory only during the attempts that it signs. */
const { allowedNetworks, baseUrl } = workerData as SendingRules
const { send } = createSender(
  addressRule(allowedNetworks, 'WEBHOOK_ALLOWED_NETWORKS'),
  ownInbound(baseUrl),
  createResolver({ clock: systemClock }),
  systemClock,
)

serveQuestions<Question, Answer>((question) =>
  question === 'heartbeat' ? question : send(question.target, question.request),
)
