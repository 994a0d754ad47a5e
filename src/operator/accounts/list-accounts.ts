import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findBound, type Span, seek, windowsOf } from '../../db/windows.ts'
import { inSpan, type PageRequest, readSpan, restOf } from '../../http/schema/list.ts'

/** The filter of the list; an undefined member matches every account. */
interface SoughtAccounts {
  email?: string | undefined
  organizationId?: Id<'organization'> | undefined
  status?: Tables['account']['status'] | undefined
}

/** Selects accounts with the counts of their memberships, sessions and other rows. */
export function selectAccounts(db: Db, now: Millis) {
  return db.selectFrom('account').select((of) => [
    'account.id',
    'email',
    'first_name',
    'last_name',
    'status',
    'email_verified_at',
    'password_hash',
    'second_factors',
    'language',
    'terms_accepted_at',
    'account.created_at',
    of
      .selectFrom('membership')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('membership.account_id', '=', 'account.id')
      .as('memberships'),
    of
      .selectFrom('session')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('session.account_id', '=', 'account.id')
      .where('session.expires_at', '>', now)
      .where('session.last_seen_at', '>', now - LIFETIME.sessionIdle)
      .as('sessions'),
  ])
}

export type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['execute']>>[number]

/** A page of the filtered accounts, newest first. The status has no index and may be rare, so the search goes window by window. */
export function findAccounts(
  db: Db,
  { email, organizationId, status }: SoughtAccounts,
  page: PageRequest<'account'>,
  now: Millis,
): Promise<AccountRow[]> {
  const whole = restOf(page, readSpan('account', {}))
  const find = (span: Span<'account'>, rest: number) =>
    selectAccounts(db, now)
      .$if(organizationId !== undefined, (query) =>
        query
          .innerJoin('membership as of_organization', 'of_organization.account_id', 'account.id')
          .where('of_organization.organization_id', '=', organizationId as Id<'organization'>)
          .$call(inSpan(span, 'of_organization.account_id')),
      )
      .$if(email !== undefined, (query) => query.where('email', '=', email ?? ''))
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
      .$call(inSpan(span, 'account.id'))
      .orderBy('account.id', 'desc')
      .limit(rest)
      .execute()
  const isRare = status !== undefined && email === undefined
  const windows = isRare
    ? windowsOf(whole, (span) => findBound(selectIds(db, organizationId, span)))
    : [whole]
  return seek(windows, page.take, find)
}

function selectIds(db: Db, organizationId: Id<'organization'> | undefined, span: Span<'account'>) {
  if (organizationId === undefined)
    return db.selectFrom('account').select('id').$call(inSpan(span)).orderBy('id', 'desc')
  return db
    .selectFrom('membership')
    .select('account_id as id')
    .where('organization_id', '=', organizationId)
    .$call(inSpan(span, 'account_id'))
    .orderBy('account_id', 'desc')
}

/** The names of the identity providers of each account. */
export async function findProviders(db: Db, ids: Id<'account'>[]): Promise<Map<Id<'account'>, string[]>> {
  const providers = new Map(ids.map((id) => [id, [] as string[]]))
  if (ids.length === 0) return providers
  const rows = await db
    .selectFrom('identity')
    .select(['account_id', 'provider'])
    .distinct()
    .where('account_id', 'in', ids)
    .orderBy('provider')
    .execute()
  for (const { account_id, provider } of rows) providers.get(account_id)?.push(provider)
  return providers
}

/** The time of the last sign-in of an account in the audit log. */
export async function findLastSignIn(db: Db, accountId: Id<'account'>): Promise<Millis | undefined> {
  const entries = (span: Span<'audit'>) =>
    db.selectFrom('audit').where('account_id', '=', accountId).$call(inSpan(span)).orderBy('id', 'desc')
  const windows = windowsOf(readSpan('audit', {}), (span) => findBound(entries(span).select('id')))
  const [last] = await seek(windows, 1, (span, rest) =>
    entries(span)
      .select(['id', 'created_at'])
      .where('action', '=', 'sign_in.succeeded')
      .limit(rest)
      .execute(),
  )
  return last?.created_at
}
