import { audit, type Trail } from '../../audit/audit.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Role, Tables } from '../../db/tables/tables.ts'
import type { NamedOrganization } from '../../http/organization-header.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { OWN_KIND } from '../passwords.ts'
import { addHashKinds } from './hash-kinds.ts'
import type { ImportedAccount, Refusal } from './imported-line.ts'

type Organization = Id<'organization'>
type Account = Tables['account']

/** The result of an account: `unchanged` where it exists as a member of all named organizations. */
type Imported = 'imported' | 'unchanged' | Refusal

/** An account of the batch whose organizations are known. */
interface Wanted {
  index: number
  account: ImportedAccount
  roles: Map<Organization, Role>
}

/**
 * Makes active accounts from those of another system, as members of the organizations that each line names. The operator's import is the
 * invitation (specification 1), and the audit log of each organization records it. An existing account is never changed.
 *
 * (none) --imported--> active
 *
 * Accounts come before organizations in the order of locks, as everywhere.
 * @returns the outcome of each, in their order
 */
export async function importAccounts(tx: Tx, trail: Trail, accounts: ImportedAccount[]): Promise<Imported[]> {
  const outcomes = new Map<number, Imported>()
  const wanted = await resolve(tx, accounts, outcomes)
  const kinds = new Set(wanted.flatMap(({ account }) => account.hash?.kind ?? []))
  kinds.delete(OWN_KIND)
  const known = await addHashKinds(tx, kinds, trail.now)
  const isKnown = ({ account: { hash } }: Wanted) =>
    hash === null || hash.kind === OWN_KIND || known.has(hash.kind)
  for (const { index } of wanted.filter((one) => !isKnown(one)))
    outcomes.set(index, { field: 'passwordHash', reason: 'too_many_kinds' })

  const inserted = await insertAccounts(tx, trail, wanted.filter(isKnown))
  const added = wanted.filter(({ index }) => inserted.has(index))
  const gone = await lockAll(tx, added)
  for (const one of added) {
    const id = inserted.get(one.index) as Id<'account'>
    if ([...one.roles.keys()].some((organization) => gone.has(organization))) {
      await tx.deleteFrom('account').where('id', '=', id).execute()
      outcomes.set(one.index, { field: 'organizations', reason: 'no_such_organization' })
      continue
    }
    await join(tx, trail, id, one)
    outcomes.set(one.index, 'imported')
  }
  for (const one of wanted)
    if (!outcomes.has(one.index) && !inserted.has(one.index))
      outcomes.set(
        one.index,
        (await isMember(tx, one)) ? 'unchanged' : { field: 'email', reason: 'account_exists' },
      )
  return accounts.map((_, index) => outcomes.get(index) as Imported)
}

/** Finds the organizations of accounts; an account with a missing one is refused. */
async function resolve(
  tx: Tx,
  accounts: ImportedAccount[],
  outcomes: Map<number, Imported>,
): Promise<Wanted[]> {
  const named = accounts.flatMap(({ organizations }) => organizations.map((one) => one.named))
  const ids = [...new Set(named.flatMap((one) => ('id' in one ? [one.id] : [])))]
  const externalIds = [...new Set(named.flatMap((one) => ('id' in one ? [] : [one.externalId])))]
  const rows = await tx
    .selectFrom('organization')
    .select(['id', 'external_id'])
    .where('deleted_at', 'is', null)
    .where((where) =>
      where.or([
        ...(ids.length > 0 ? [where('id', 'in', ids)] : []),
        ...(externalIds.length > 0 ? [where('external_id', 'in', externalIds)] : []),
      ]),
    )
    .execute()
  const byId = new Set(rows.map(({ id }) => id))
  const byExternalId = new Map(rows.map(({ id, external_id }) => [external_id, id]))
  const idOf = (one: NamedOrganization) =>
    'id' in one ? (byId.has(one.id) ? one.id : undefined) : byExternalId.get(one.externalId)

  return accounts.flatMap((account, index) => {
    const roles = new Map<Organization, Role>()
    for (const [place, { named: one, role }] of account.organizations.entries()) {
      const id = idOf(one)
      if (id === undefined) {
        outcomes.set(index, { field: `organizations.${place}.organization`, reason: 'no_such_organization' })
        return []
      }
      roles.set(id, role)
    }
    return [{ index, account, roles }]
  })
}

/** @returns the ids of the new accounts, by their places; of equal addresses only the first one is made */
async function insertAccounts(tx: Tx, { now }: Trail, wanted: Wanted[]): Promise<Map<number, Id<'account'>>> {
  const first = new Map<string, Wanted>()
  for (const one of wanted) if (!first.has(one.account.email)) first.set(one.account.email, one)
  if (first.size === 0) return new Map()
  // In the order of their addresses: of two imports at once neither waits for the other in a circle.
  const rows = [...first.values()].map(({ account }): Account => toRow(account, now))
  const made = await tx
    .insertInto('account')
    .values(rows.toSorted((a, b) => (a.email < b.email ? -1 : 1)))
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email'])
    .execute()
  return new Map(made.map(({ id, email }) => [first.get(email)?.index ?? -1, id]))
}

function toRow(
  { email, firstName, lastName, emailVerified, termsAcceptedAt, hash }: ImportedAccount,
  now: number,
): Account {
  return {
    id: newId('account', now),
    email,
    first_name: firstName,
    last_name: lastName,
    status: 'active',
    email_verified_at: emailVerified ? now : null,
    password_hash: hash?.stored ?? null,
    terms_accepted_at: termsAcceptedAt,
    created_at: now,
    updated_at: now,
    second_factors: 0,
    language: null,
  }
}

/** Whether an account that exists is a member of every organization that the import names. */
async function isMember(tx: Tx, { account: { email }, roles }: Wanted): Promise<boolean> {
  const rows = await tx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select('membership.organization_id')
    .where('account.email', '=', email)
    .where('membership.organization_id', 'in', [...roles.keys()])
    .execute()
  return rows.length === roles.size
}

/** Locks the organizations of accounts. @returns organizations that were deleted after they were read */
async function lockAll(tx: Tx, accounts: Wanted[]): Promise<Set<Organization>> {
  const gone = new Set<Organization>()
  for (const id of new Set(accounts.flatMap(({ roles }) => [...roles.keys()]).toSorted()))
    if ((await lockOrganization(tx, id)) === undefined) gone.add(id)
  return gone
}

async function join(tx: Tx, trail: Trail, id: Id<'account'>, { account, roles }: Wanted): Promise<void> {
  const memberships = [...roles].map(([organization_id, role]) => ({
    ...{ organization_id, account_id: id, role },
    created_at: trail.now,
  }))
  await tx.insertInto('membership').values(memberships).execute()
  for (const [organizationId, role] of roles)
    await audit(tx, trail, {
      action: 'account.imported',
      organizationId,
      accountId: id,
      targetId: id,
      details: { role, password: account.hash?.algorithm ?? null, emailVerified: account.emailVerified },
    })
}
