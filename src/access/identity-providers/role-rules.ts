import type { Tables } from '../../db/tables/tables.ts'
import type { RoleName } from '../../http/permissions.ts'
import { readRoleName } from '../accounts/given-role.ts'

/** A rule: people with this value in this claim get this role. */
export interface RoleRule {
  claim: string
  value: string
  role: string
}

/** The values of each claim of an identity provider about a person. */
export type Said = (claim: string) => string[]

/** The most values of one claim that are compared, because a list of groups may be long. */
const MOST_VALUES = 2_000

/** The values of a claim of a token: a text, or the texts of a list. */
export function valuesIn(claim: unknown): string[] {
  const all = Array.isArray(claim) ? claim.slice(0, MOST_VALUES) : [claim]
  return all.filter((one) => typeof one === 'string')
}

/** The role of a person by the rules of an identity provider: that of the first matching rule, otherwise the default. */
export function roleBy(
  { role_rules, default_role }: Pick<Tables['identity_provider'], 'role_rules' | 'default_role'>,
  said: Said,
): RoleName {
  const rules = JSON.parse(role_rules) as RoleRule[]
  const match = rules.find(({ claim, value }) => said(claim).includes(value))
  return readRoleName(match?.role ?? default_role)
}

/** All roles that an identity provider may give. */
export function rolesOf({
  role_rules,
  default_role,
}: Pick<Tables['identity_provider'], 'role_rules' | 'default_role'>): string[] {
  return [default_role, ...(JSON.parse(role_rules) as RoleRule[]).map(({ role }) => role)]
}
