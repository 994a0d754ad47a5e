import type { Logger } from 'pino'
import { type Millis, SECOND } from '../../core/clock.ts'
import { createLoop } from '../../core/loop.ts'
import type { Signal } from '../../core/signal.ts'
import { createCourier } from '../../mail/courier.ts'
import type { MailTransport } from '../../mail/transport.ts'
import type { AccessDeps } from '../deps.ts'
import { resolveMailRequests } from './mail-requests.ts'

/** Answers the requests for mails and sends what is queued, in the background. */
interface MailWorker {
  start(): void
  /** Ends after the work under way. */
  stop(): Promise<void>
}

interface MailWorkerDeps {
  access: AccessDeps
  /** Says that mails were queued or asked for. */
  due: Signal
  log: Logger
  /** undefined: mails are kept, not sent. */
  transport: MailTransport | undefined
  onMailOutcome: (outcome: string) => void
}

/** Another process may have queued something: polled for this often. */
const POLL: Millis = SECOND

/** A nudge is answered after a random delay, so that the time of the next answer does not tell whether it made work. */
const NUDGE_DELAY: Millis = 20
const NUDGE_SPREAD: Millis = 80

export function createMailWorker({ access, due, log, transport, onMailOutcome }: MailWorkerDeps): MailWorker {
  const { clock, database, outbox } = access
  const courier =
    transport && createCourier({ database, clock, outbox, transport, log, onOutcome: onMailOutcome })

  const loop = createLoop({
    clock,
    every: POLL,
    name: 'mail worker',
    log,
    async run() {
      await resolveMailRequests(access, clock.now())
      // Not awaited: a request for a mail does not wait until all others are sent.
      courier?.wake()
    },
  })

  return {
    start() {
      due.listen(() => loop.nudge(NUDGE_DELAY + Math.random() * NUDGE_SPREAD))
      if (transport === undefined)
        log.info({}, 'no SMTP_URL: mails are kept; read them with `npx postern mail`')
      loop.start()
    },
    async stop() {
      await loop.stop()
      await courier?.stop()
      transport?.close()
    },
  }
}
