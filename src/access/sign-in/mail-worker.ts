import type { Logger } from 'pino'
import { type Millis, SECOND } from '../../core/clock.ts'
import type { Signal } from '../../core/signal.ts'
import { createCourier } from '../../mail/courier.ts'
import type { MailTransport } from '../../mail/transport.ts'
import type { AccessDeps } from '../deps.ts'
import { resolveMailRequests } from './mail-requests.ts'

/** Answers the requests for mails and sends what is queued, in the background. */
export interface MailWorker {
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

/** Another process may have queued something: looked for this often without being told. */
const POLL: Millis = SECOND

/** A nudge is answered a little later, by chance: whether it made work must not show in the next answer's time. */
const NUDGE_DELAY: Millis = 20
const NUDGE_SPREAD: Millis = 80

export function createMailWorker({ access, due, log, transport, onMailOutcome }: MailWorkerDeps): MailWorker {
  const { clock, database, outbox } = access
  let stopped = false
  let cancel = () => {}
  let running: Promise<void> | undefined
  let again = false
  const courier =
    transport && createCourier({ database, clock, outbox, transport, log, onOutcome: onMailOutcome })

  function schedule(delay: Millis): void {
    if (stopped) return
    cancel()
    cancel = clock.after(delay, run)
  }

  function run(): void {
    if (running !== undefined) {
      again = true
      return
    }
    running = work()
      .catch((error: unknown) => log.error({ err: error }, 'mail worker'))
      .finally(() => {
        running = undefined
        schedule(again ? 0 : POLL)
        again = false
      })
  }

  async function work(): Promise<void> {
    await resolveMailRequests(access, clock.now())
    // It goes on by itself: who asks for a mail does not wait until all others are sent.
    courier?.wake()
  }

  return {
    start() {
      due.listen(() => schedule(NUDGE_DELAY + Math.random() * NUDGE_SPREAD))
      if (transport === undefined)
        log.info({}, 'no SMTP_URL: mails are kept; read them with `npx postern mail`')
      schedule(0)
    },
    async stop() {
      stopped = true
      cancel()
      await running
      await courier?.stop()
      transport?.close()
    },
  }
}
