import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import { runForOwner } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { atMost, createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { LoopTurns } from '../../core/loop-turns.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { networkOf } from '../../http/rate-limit.ts'
import type { AccessDeps } from '../deps.ts'
import { endReported, isSpent, type Report } from './reported-sign-out.ts'

type Provider = Tables['identity_provider']
type Sender = Pick<FastifyRequest, 'ip' | 'now'>

/** Takes sign-outs that identity providers report, within limits that forged reports do not use up. */
export interface SignOutReports {
  /** Refuses a network whose limit is used up, before anything else is read. @throws ApiError RATE_LIMITED */
  admit(sender: Sender): Promise<void>
  /**
   * Verifies a report and follows it. A refused report counts against the network that sent it, a new and verified one against its provider.
   * @returns the answer that was prepared, after the sessions have ended
   * @throws ApiError RATE_LIMITED, and those of the steps; nothing has ended then
   */
  take<Answer>(request: FastifyRequest, provider: Provider, steps: Steps<Answer>): Promise<Answer>
  /** Counts a refused report against its network. @throws ApiError RATE_LIMITED, else `error` */
  refuse(sender: Sender, error: ApiError): Promise<never>
}

interface Steps<Answer> {
  /** @throws ApiError for a report that is not the provider's */
  verify: () => Promise<Report>
  /**
   * Makes the answer to a verified report before its sessions end: afterwards a failure would leave the provider without an answer, and a
   * repeated report is refused.
   */
  prepare: (report: Report) => Promise<Answer>
  /** Makes the error of a report that is verified and ends nothing. */
  refused: (reason: string) => ApiError
}

/** Reports of one network to one organization that are verified at once. Forged reports exceed the limit of the network by at most three. */
const VERIFIED_AT_ONCE = 4
/** The last of thousands of reports that a provider sends at once waits for all others. */
const LONGEST_WAIT: Millis = 2 * MINUTE
/** When the sender of a report that waited too long may repeat it. */
const RETRY_AFTER: Millis = 10 * SECOND

/**
 * An organization's reports are followed one at a time, because each locks the row of its provider, and waiting ones must hold no connection.
 * Reports through one network to several organizations, as from a provider with many customers, do not wait for each other.
 */
export function createSignOutReports({
  clock,
  database,
  credentials,
  limiter,
  turns,
}: Pick<AccessDeps, 'clock' | 'database' | 'credentials' | 'limiter'> & {
  turns: LoopTurns<string>
}): SignOutReports {
  const patience = {
    ...{ clock, longest: LONGEST_WAIT },
    late: () => new ApiError('RATE_LIMITED', { retryAfterSeconds: RETRY_AFTER / SECOND }),
  }
  const verifying = createFairLimiter<string>(Number.POSITIVE_INFINITY, atMost(VERIFIED_AT_ONCE), patience)
  const following = createFairLimiter<Id<'organization'>>(Number.POSITIVE_INFINITY, atMost(1), patience)

  const admit = ({ ip, now }: Sender) => limiter.check(networkOf(ip), 'authorizePerIp', now)

  async function count({ ip, now }: Sender, error: unknown): Promise<never> {
    const isRefusal = error instanceof ApiError && error.code !== 'RATE_LIMITED'
    if (isRefusal) await limiter.take(networkOf(ip), 'authorizePerIp', now)
    throw error
  }

  async function prepared<Answer>(
    request: FastifyRequest,
    provider: Provider,
    { verify, prepare, refused }: Steps<Answer>,
  ): Promise<{ report: Report; answer: Answer }> {
    const { id, organization_id } = provider
    await turns.enter(organization_id)
    // Earlier reports in the queue may have used up the limit.
    await admit(request)
    const report = await verify()
    // A browser has brought some reports, so a person may have a copy. A repeated one costs its provider nothing.
    if (await isSpent(database.db, provider, report)) throw refused('used')
    await limiter.take(`${organization_id}:${id}`, 'signOutsPerProvider', request.now)
    return { report, answer: await prepare(report) }
  }

  return {
    admit,
    refuse: count,
    async take(request, provider, steps) {
      const { organization_id } = provider
      const { report, answer } = await verifying
        .use(`${networkOf(request.ip)} ${organization_id}`, () =>
          runForOwner(organization_id, () => prepared(request, provider, steps)),
        )
        .catch((error: unknown) => count(request, error))
      const reason = await following.use(organization_id, () =>
        runForOwner(organization_id, () =>
          database.tx((tx) => endReported(tx, { credentials }, trailOf(request), provider, report)),
        ),
      )
      if (reason !== undefined) return count(request, steps.refused(reason))
      return answer
    },
  }
}
