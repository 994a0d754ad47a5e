import { workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { serveQuestions } from '../../core/thread.ts'
import { addressRule } from '../../net/address.ts'
import { createResolver } from '../../net/resolver.ts'
import type { DeliveryRequest, Sent, Target } from './send.ts'
import { createSender } from './sender.ts'

/** An attempt to make, or a heartbeat, which the event loop of the thread answers. */
export type Question = { target: Target; request: DeliveryRequest } | 'heartbeat'
export type Answer = Sent | 'heartbeat'

/** Runs in a worker thread (`thread-sender.ts`). A secret is in its memory only during the attempts that it signs. */
const { allowedNetworks } = workerData as { allowedNetworks: string[] }
const { send } = createSender(
  addressRule(allowedNetworks, 'WEBHOOK_ALLOWED_NETWORKS'),
  createResolver({ clock: systemClock }),
  systemClock,
)

serveQuestions<Question, Answer>((question) =>
  question === 'heartbeat' ? question : send(question.target, question.request),
)
