import type { IdentityProvider } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'

export interface RoleRule {
  claim: string
  value: string
  role: string
}

/** The values of the form, named as the API names wrong fields. */
export interface ProviderTexts {
  kind: IdentityProvider['kind']
  name: string
  'oidc.issuer': string
  'oidc.clientId': string
  'oidc.clientSecret': string
  'saml.metadata': string
  'saml.entityId': string
  'saml.signOnUrl': string
  'saml.certificates': string
  'saml.logoutUrl': string
  'saml.emailAttribute': string
  createsMemberships: boolean
  managesRoles: boolean
  endsProviderSession: boolean
  defaultRole: string
  roleRules: RoleRule[]
  secondFactorValues: string
}

/** What the form begins with. */
export function textsOf(provider: IdentityProvider | undefined): ProviderTexts {
  return {
    kind: provider?.kind ?? 'oidc',
    name: textOf(provider?.name),
    'oidc.issuer': textOf(provider?.oidc?.issuer),
    'oidc.clientId': textOf(provider?.oidc?.clientId),
    'oidc.clientSecret': '',
    'saml.metadata': '',
    'saml.entityId': textOf(provider?.saml?.entityId),
    'saml.signOnUrl': textOf(provider?.saml?.signOnUrl),
    'saml.certificates': '',
    'saml.logoutUrl': textOf(provider?.saml?.logoutUrl),
    'saml.emailAttribute': textOf(provider?.saml?.emailAttribute),
    createsMemberships: provider?.createsMemberships ?? true,
    managesRoles: provider?.managesRoles ?? false,
    endsProviderSession: provider?.endsProviderSession ?? false,
    defaultRole: textOf(provider?.defaultRole ?? 'member'),
    roleRules: (provider?.roleRules ?? []).map(({ claim, value, role }) => ({
      ...{ claim: textOf(claim), value: textOf(value), role: textOf(role) },
    })),
    secondFactorValues: (provider?.secondFactorValues ?? []).map(textOf).join(', '),
  }
}

/** What the form says of people, for a request. */
export function peopleOf(values: ProviderTexts) {
  const { createsMemberships, managesRoles, defaultRole, roleRules, secondFactorValues } = values
  const { endsProviderSession } = values
  return {
    ...{ createsMemberships, managesRoles, defaultRole, endsProviderSession },
    roleRules: roleRules.map(({ claim, value, role }) => ({
      ...{ claim: claim.trim(), value: value.trim(), role },
    })),
    secondFactorValues: secondFactorValues
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  }
}
