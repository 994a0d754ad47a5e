import { localTrail } from '../audit/audit.ts'
import { HOUR, type Millis, SECOND } from '../core/clock.ts'
import { forEachDespiteErrors } from '../core/for-each-despite-errors.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { Shared } from '../shared/shared.ts'
import type { OperatorParts } from './deps.ts'
import { disableOrganization } from './disable-organization.ts'
import { endOrganization } from './end-organization.ts'

/** After this time no process has a credential of before in its cache. */
export const CREDENTIALS_FORGOTTEN: Millis = LIFETIME.credentialCache + SECOND
/** Requests that began before the end of an organization are over after this time. */
const RECENT: Millis = HOUR

type Organization = Pick<Tables['organization'], 'id' | 'name' | 'deleted_at'>

/** Ends an organization a second time, for the rows of requests that had begun before its end. */
interface LateWriteSweep {
  /** Schedules it for one organization, at the time when no process has its credentials cached. */
  schedule(id: Id<'organization'>): void
  /**
   * Does it for all organizations that ended within the last hour, so that neither a command nor a process that ends leaves rows. A failure
   * is logged and repeated at the next call.
   */
  sweep(): Promise<void>
}

export function createLateWriteSweep({
  clock,
  log,
  database,
  forgetWebhook,
  cancelRuns,
}: Pick<Shared, 'clock' | 'log'> & { database: Database } & Pick<
    OperatorParts,
    'forgetWebhook' | 'cancelRuns'
  >): LateWriteSweep {
  async function end(organization: Organization): Promise<void> {
    const { id, deleted_at } = organization
    const trail = localTrail(clock.now())
    const stillDisabled = await database.tx(async (tx) => {
      const row = await lockOrganization(tx, id)
      const isDisabled = row !== undefined && row.disabled_at !== null
      const ended = isDisabled
        ? await disableOrganization(tx, trail, id)
        : deleted_at !== null
          ? await endOrganization(tx, trail, organization)
          : []
      for (const webhook of ended) forgetWebhook(tx, webhook)
      return isDisabled
    })
    if (stillDisabled) await cancelRuns(id, trail.now)
  }

  const select = () => database.db.selectFrom('organization').select(['id', 'name', 'deleted_at'])

  async function endOne(id: Id<'organization'>): Promise<void> {
    const ended = await select()
      .where('id', '=', id)
      .where((where) => where.or([where('disabled_at', 'is not', null), where('deleted_at', 'is not', null)]))
      .executeTakeFirst()
    if (ended !== undefined) await end(ended)
  }

  function failed(error: unknown, { id }: Pick<Organization, 'id'>): void {
    log.error({ err: error, organizationId: id }, 'what an organization left behind')
  }

  return {
    schedule(id) {
      clock.after(
        CREDENTIALS_FORGOTTEN,
        () => void endOne(id).catch((error: unknown) => failed(error, { id })),
      )
    },
    async sweep() {
      const since = clock.now() - RECENT
      const deleted = await select().where('deleted_at', '>', since).execute()
      const disabled = await select()
        .where('disabled_at', '>', since)
        .where('deleted_at', 'is', null)
        .execute()
      await forEachDespiteErrors([...deleted, ...disabled], end, failed)
    },
  }
}
