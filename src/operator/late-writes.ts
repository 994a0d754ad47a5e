import { localTrail } from '../audit/audit.ts'
import { attendEach } from '../core/attend-each.ts'
import { HOUR, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { Shared } from '../shared/shared.ts'
import type { OperatorParts } from './deps.ts'
import { disableOrganization } from './disable-organization.ts'
import { endOrganization } from './end-organization.ts'

/** After this long no process remembers a credential that it accepted before. */
export const CREDENTIALS_FORGOTTEN: Millis = LIFETIME.credentialCache + SECOND
/** A request that began before an organization ended is over after this long. */
const RECENT: Millis = HOUR

type Organization = Pick<Tables['organization'], 'id' | 'name' | 'deleted_at'>

/** The work after the end of an organization: ends what requests made that had begun before it. */
interface LateWriteSweep {
  /** Does so for one organization, as soon as no process remembers its credentials. */
  soon(id: Id<'organization'>): void
  /**
   * Does so for all that ended in the last hour, by a command or by a process that has ended. A failure is logged, and tried again
   * with the next call.
   */
  attend(): Promise<void>
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
    soon(id) {
      clock.after(
        CREDENTIALS_FORGOTTEN,
        () => void endOne(id).catch((error: unknown) => failed(error, { id })),
      )
    },
    async attend() {
      const since = clock.now() - RECENT
      const deleted = await select().where('deleted_at', '>', since).execute()
      const disabled = await select()
        .where('disabled_at', '>', since)
        .where('deleted_at', 'is', null)
        .execute()
      await attendEach([...deleted, ...disabled], end, failed)
    },
  }
}
