import { sql } from 'kysely'
import { DAY, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { MOST_COUNTED, type Problem, type ProblemSource, toCount } from '../../problems/problem.ts'
import { linksWithProviders } from './links-with-providers.ts'

/** How long before its end a certificate is named: time to have the next one entered by another department. */
const WARNED: Millis = 30 * DAY

/** A replaced key of Postern is named this long before its end, which the same department needs to enter the new certificate. */
const WARNED_OWN: Millis = 21 * DAY

/**
 * Active SAML identity providers whose last certificate ends soon or has ended, or whose replaced key of Postern ends soon; and identity
 * providers that a setup link made and that must be enabled.
 */
export const identityProviderProblems: ProblemSource = {
  kind: 'identity_provider',
  permission: 'sign_in:read',
  async find(db, { organizationId }, { now }) {
    return [
      ...(await findEnding(db, organizationId, now)),
      ...(await findReplaced(db, organizationId, now)),
      ...(await findWaiting(db, organizationId, now)),
    ]
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select id from identity_provider
        where certificates_end_at is not null and certificates_end_at <= ${now + WARNED} and status = 'active'
        union
        select identity_provider.id from saml_key
        join identity_provider on identity_provider.id = saml_key.identity_provider_id
        where saml_key.ends_at > ${now} and saml_key.ends_at <= ${now + WARNED_OWN}
          and identity_provider.status = 'active'
        union
        select identity_provider.id from setup_link
        join identity_provider on identity_provider.id = setup_link.identity_provider_id
          and identity_provider.updated_at = setup_link.provider_changed_at
        where setup_link.status = 'finished' and identity_provider.status = 'disabled'
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}

async function findEnding(db: Db, organizationId: Id<'organization'>, now: Millis): Promise<Problem[]> {
  const rows = await db
    .selectFrom('identity_provider')
    .select(['id', 'name', 'certificates_end_at as endAt'])
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .where('certificates_end_at', '<=', now + WARNED)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, endAt }) => {
    const end = endAt ?? now
    return {
      ...{ id: `identity_provider:${id}`, kind: 'identity_provider' },
      state: end <= now ? 'expired' : 'expiring',
      ...{ subjectId: id, subject: name, reason: 'certificate', message: ENDING },
      ...{ since: end <= now ? end : end - WARNED, nextAt: end <= now ? null : end },
      ...NOTHING_COUNTED,
    }
  })
}

const ENDING =
  'The last certificate of this provider ends. Enter the next one, which the provider publishes, beside the present one.'

/** Providers with a replaced key of Postern. Postern cannot know whether they have the certificate of the new one. */
async function findReplaced(db: Db, organizationId: Id<'organization'>, now: Millis): Promise<Problem[]> {
  const rows = await db
    .selectFrom('saml_key')
    .innerJoin('identity_provider', 'identity_provider.id', 'saml_key.identity_provider_id')
    .select(({ fn }) => [
      'identity_provider.id',
      'identity_provider.name',
      fn.min<Millis>('saml_key.ends_at').as('endAt'),
    ])
    .where('saml_key.organization_id', '=', organizationId)
    .where('saml_key.ends_at', '>', now)
    .where('saml_key.ends_at', '<=', now + WARNED_OWN)
    .where('identity_provider.status', '=', 'active')
    .groupBy(['identity_provider.id', 'identity_provider.name'])
    .orderBy('identity_provider.id')
    .execute()
  return rows.map(({ id, name, endAt }) => ({
    ...{ id: `identity_provider:${id}:own_keys`, kind: 'identity_provider', state: 'expiring' },
    ...{ subjectId: id, subject: name, reason: 'own_keys' },
    message: REPLACED,
    ...{ since: Number(endAt) - WARNED_OWN, nextAt: Number(endAt) },
    ...NOTHING_COUNTED,
  }))
}

const REPLACED =
  "The replaced keys of Postern for this provider end soon. Enter the present certificates at the provider before then, or let it read Postern's metadata again. If it has them, end the replaced keys now: rotate the keys with `overlapDays: 0`."

/** Disabled identity providers of finished setup links that no administrator has changed yet. An administrator has to enable or delete each. */
async function findWaiting(db: Db, organizationId: Id<'organization'>, now: Millis): Promise<Problem[]> {
  const rows = await linksWithProviders(db)
    .select(['identity_provider.id', 'identity_provider.name', 'setup_link.ended_at as since'])
    .where('setup_link.organization_id', '=', organizationId)
    .where('setup_link.status', '=', 'finished')
    .where('identity_provider.status', '=', 'disabled')
    .orderBy('identity_provider.id')
    .execute()
  return rows.map(({ id, name, since }) => ({
    ...{ id: `identity_provider:${id}`, kind: 'identity_provider', state: 'waiting' },
    ...{ subjectId: id, subject: name, reason: 'setup_finished' },
    ...{ since: since ?? now, nextAt: null },
    ...NOTHING_COUNTED,
  }))
}

const NOTHING_COUNTED = { waiting: null, failed: null, balance: null, exampleId: null }
