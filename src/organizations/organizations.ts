import { audit, type Trail } from '../audit/audit.ts'
import { type Millis, toIsoOrNull } from '../core/clock.ts'
import { type Id, newId } from '../core/id.ts'
import type { Language } from '../core/language.ts'
import type { Flags } from '../core/plans.ts'
import type { Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import type { Tables } from '../db/tables/tables.ts'

type Organization = Tables['organization']

/**
 * The row of an organization, locked until `tx` ends: transactions that count its rows, or change it, run one after the other.
 * @returns undefined where it does not exist, or was deleted
 */
export function lockOrganization(tx: Tx, id: Organization['id']): Promise<Organization | undefined> {
  const row = tx.selectFrom('organization').selectAll().where('id', '=', id).where('deleted_at', 'is', null)
  return lock(tx, row).executeTakeFirst()
}

interface NewOrganization extends Pick<Organization, 'plan'> {
  /** Its id, where it has no name. */
  name?: string
  externalId?: string | undefined
  /** The platform key that makes it. */
  actorId?: Id<'platformKey'>
}

/** @returns undefined where another organization has that name or external id; `readTaken` says which of them */
export async function createOrganization(
  tx: Tx,
  trail: Trail,
  { name: wanted, plan, externalId, actorId }: NewOrganization,
): Promise<Id<'organization'> | undefined> {
  const id = newId('organization', trail.now)
  const name = wanted ?? id
  const times = { created_at: trail.now, deleted_at: null, disabled_at: null, second_factor_from: null }
  const unset = { flags: '{}', language: null, sign_in_required_at: null, second_factor_grace: null }
  const inserted = await tx
    .insertInto('organization')
    .values({ id, name, plan, external_id: externalId ?? null, ...unset, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return undefined
  await audit(tx, trail, {
    action: 'organization.created',
    organizationId: id,
    actorId: actorId ?? null,
    targetId: id,
    details: { name, plan, ...(externalId === undefined ? {} : { externalId }) },
  })
  return id
}

/** Which of the two another organization has, the name first, after `createOrganization` has made none. */
export async function readTaken(
  tx: Tx,
  { name, externalId }: Pick<Organization, 'name'> & Pick<NewOrganization, 'externalId'>,
): Promise<{ field: 'name' | 'externalId'; value: string }> {
  const namesake = await tx
    .selectFrom('organization')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  return namesake !== undefined || externalId === undefined
    ? { field: 'name', value: name }
    : { field: 'externalId', value: externalId }
}

/**
 * Gives an organization another name. A name that another organization has is an error of the database.
 * @returns whether there was one to rename
 */
export async function renameOrganization(
  tx: Tx,
  trail: Trail,
  { id, name: before }: Pick<Organization, 'id' | 'name'>,
  name: string,
  actorId: string | null = null,
): Promise<boolean> {
  const renamed = await tx
    .updateTable('organization')
    .set({ name })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (renamed === undefined) return false
  await audit(tx, trail, {
    action: 'organization.renamed',
    organizationId: id,
    actorId,
    targetId: id,
    details: { before, name },
  })
  return true
}

/**
 * Gives an organization another external id, or none. The row must be locked by `tx`. An id that another organization has is an
 * error of the database. The caller clears the cache of credentials after the commit, because it holds external ids.
 */
export async function setExternalId(
  tx: Tx,
  trail: Trail,
  { id, external_id: before }: Pick<Organization, 'id' | 'external_id'>,
  externalId: string | null,
): Promise<void> {
  if (externalId === before) return
  await tx.updateTable('organization').set({ external_id: externalId }).where('id', '=', id).execute()
  await audit(tx, trail, {
    action: 'organization.external_id_changed',
    organizationId: id,
    targetId: id,
    details: { before, externalId },
  })
}

/**
 * Sets from when an organization requires a second factor of its members (null: it does not), and how long each has to add one. The
 * row must be locked by `tx`.
 */
export async function setSecondFactor(
  tx: Tx,
  trail: Trail,
  { id }: Pick<Organization, 'id'>,
  { from, grace }: { from: Millis | null; grace: Millis },
  actorId: string,
): Promise<void> {
  await tx
    .updateTable('organization')
    .set({ second_factor_from: from, second_factor_grace: grace })
    .where('id', '=', id)
    .execute()
  await audit(tx, trail, {
    action: 'organization.second_factor_changed',
    organizationId: id,
    actorId,
    targetId: id,
    details: { requiredFrom: toIsoOrNull(from), graceMs: grace },
  })
}

interface SignInDemand extends Pick<Organization, 'id'> {
  required: boolean
  exceptions: Id<'account'>[]
  /** null: the operator. */
  actorId: string | null
}

/** Notes whether members of an organization sign in by its identity provider. The row must be locked by `tx`. */
export async function setSignInRequired(
  tx: Tx,
  trail: Trail,
  { id, required, exceptions, actorId }: SignInDemand,
): Promise<void> {
  await tx
    .updateTable('organization')
    .set((set) => ({
      sign_in_required_at: required ? set.fn.coalesce('sign_in_required_at', set.val(trail.now)) : null,
    }))
    .where('id', '=', id)
    .execute()
  await audit(tx, trail, {
    action: 'organization.sign_in_changed',
    organizationId: id,
    actorId,
    targetId: id,
    details: { required, exceptions: exceptions.join(' ') },
  })
}

/** Sets the language of an organization's mails and pages; null: the installation's. The row must be locked by `tx`. */
export async function setLanguage(
  tx: Tx,
  trail: Trail,
  { id, language: before }: Pick<Organization, 'id' | 'language'>,
  language: Language | null,
  actorId: string,
): Promise<void> {
  await tx.updateTable('organization').set({ language }).where('id', '=', id).execute()
  await audit(tx, trail, {
    action: 'organization.language_changed',
    organizationId: id,
    actorId,
    targetId: id,
    details: { before, language },
  })
}

/** Sets an organization's plan; billing changes its credits. */
export async function setPlan(tx: Tx, id: Organization['id'], plan: string): Promise<void> {
  await tx.updateTable('organization').set({ plan }).where('id', '=', id).execute()
}

/** Sets the modules that are on or off apart from the plan. The row must be locked by `tx`, as the flags were read from it. */
export async function setFlags(tx: Tx, id: Organization['id'], flags: Flags): Promise<void> {
  await tx
    .updateTable('organization')
    .set({ flags: JSON.stringify(flags) })
    .where('id', '=', id)
    .execute()
}

/**
 * Marks an organization as disabled, or as active again; each room does the same for its own rows.
 * @returns whether that changed it
 */
export async function setDisabled(
  tx: Tx,
  trail: Trail,
  { id, disabled_at }: Pick<Organization, 'id' | 'disabled_at'>,
  isDisabled: boolean,
): Promise<boolean> {
  if ((disabled_at !== null) === isDisabled) return false
  await tx
    .updateTable('organization')
    .set({ disabled_at: isDisabled ? trail.now : null })
    .where('id', '=', id)
    .execute()
  await audit(tx, trail, {
    action: isDisabled ? 'organization.disabled' : 'organization.enabled',
    organizationId: id,
    targetId: id,
  })
  return true
}

/**
 * Marks an organization as deleted. Its row stays without its names, because kept rows refer to it.
 * @returns whether that changed it
 */
export async function deleteOrganization(
  tx: Tx,
  trail: Trail,
  { id, name }: Pick<Organization, 'id' | 'name'>,
): Promise<boolean> {
  const deleted = await tx
    .updateTable('organization')
    .set({ name: id, external_id: null, flags: '{}', deleted_at: trail.now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) return false
  await audit(tx, trail, {
    action: 'organization.deleted',
    organizationId: id,
    targetId: id,
    details: { name },
  })
  return true
}
