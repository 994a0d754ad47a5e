import { listMemberships, toUser, UserSchema } from '../../access/accounts/accounts.ts'
import { type Millis, toIsoOrNull } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { OperatorDeps } from '../deps.ts'
import { type AccountRow, findLastSignIn, findProviders, selectAccounts } from './list-accounts.ts'

const { organizations, ...person } = UserSchema.properties
const Counted = {
  ...person,
  memberships: Type.Integer(),
  sessions: Type.Integer(),
  hasPassword: Type.Boolean(),
  secondFactors: Type.Integer(),
  providers: Type.Array(Type.String()),
}

/** An account in the list. */
export const ListedAccount = Type.Object(Counted)

/** A single account. */
export const OperatedAccount = Type.Object({ ...Counted, lastSignInAt: Nullable(Moment), organizations })

/** The accounts of a page. */
export async function toListed(db: Db, rows: AccountRow[]) {
  const providers = await findProviders(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const { organizations: _, ...user } = toUser(row, [])
    return {
      ...user,
      memberships: Number(row.memberships),
      sessions: Number(row.sessions),
      hasPassword: row.password_hash !== null,
      secondFactors: row.second_factors,
      providers: providers.get(row.id) ?? [],
    }
  })
}

/** @throws ApiError ENTITY_NOT_FOUND */
export async function readAccount(
  { config, database: { db } }: Pick<OperatorDeps, 'config' | 'database'>,
  id: Id<'account'>,
  now: Millis,
) {
  const rows = await selectAccounts(db, now).where('account.id', '=', id).execute()
  const [listed] = await toListed(db, rows)
  if (listed === undefined) throw notFound('id', id)
  return {
    ...listed,
    lastSignInAt: toIsoOrNull((await findLastSignIn(db, id)) ?? null),
    organizations: await listMemberships(db, config, id, now),
  }
}
