import { type Millis, SECOND } from '../../core/clock.ts'
import { createLoop, type Loop } from '../../core/loop.ts'
import type { AccessDeps } from '../deps.ts'
import { type ResolveDeps, resolveMailRequests } from './mail-requests.ts'

type MailWorkerDeps = ResolveDeps &
  Pick<AccessDeps, 'clock' | 'mailsDue'> & { log: { error(data: object, message: string): void } }

/** How often the worker looks for requests that other processes stored. */
const POLL: Millis = SECOND

/** The worker starts after a random delay, so that the time of the next answer does not reveal whether the last request caused work. */
const WAKE_DELAY: Millis = 20
const WAKE_SPREAD: Millis = 80

/** Turns the requests for mails into mails, in the background. */
export function createMailWorker({ clock, log, mailsDue, ...deps }: MailWorkerDeps): Loop {
  const loop = createLoop({
    clock,
    every: POLL,
    name: 'mail worker',
    log,
    run: () =>
      resolveMailRequests(deps, clock.now(), (error, mailRequestId) =>
        log.error({ err: error, mailRequestId }, 'a request for a mail could not be resolved'),
      ),
  })
  mailsDue.listen(() => loop.wake(WAKE_DELAY + Math.random() * WAKE_SPREAD))
  return loop
}
