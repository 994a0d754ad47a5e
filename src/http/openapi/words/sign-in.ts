import type { Words } from './words.ts'

const PROVIDER = {
  name: 'What people call it, in mails, too.',
  status: '`active`, or `disabled`: sign-ins by it are refused.',
  createsMemberships: 'Whether a sign-in with an address of a proven domain makes a membership.',
  managesRoles: 'Whether the rules for roles are applied at each sign-in, and not only at the first.',
  defaultRole:
    'Role of those for whom no rule matches: `administrator`, `member`, or an id that starts with `rol_`.',
  roleRules: 'The first one that matches names the role.',
  secondFactorValues: 'Values of `amr` or `acr` that count as a second factor.',
}
const OIDC = { issuer: 'As its metadata have it.', clientId: 'What Postern is called there.' }
const RULE = {
  claim: 'A claim of the ID token, such as `groups`.',
  value: 'A value that the claim has, alone or in a list.',
  role: 'The role then: `administrator`, `member`, or an id that starts with `rol_`.',
}

export const SIGN_IN_WORDS: Words = {
  Domain: {
    id: 'Identifier, starting with `dom_`.',
    name: 'The domain, in ASCII.',
    status:
      '`pending` until its record was found. `failing`: the record is missing, and the domain still counts as proven. `lost`: it does not any more.',
    reason: 'Why the last check found no proof; null: it found one, or there was none.',
    createdBy: 'Account or service account that claimed it.',
    checkedAt: 'When the record was last looked up; null: never.',
    verifiedAt: 'When the domain was proven; null: never.',
    failingSince: 'Since when the record is missing; null while it is not.',
  },
  DomainRecord: {
    type: 'Always `TXT`.',
    name: 'Where to publish it.',
    value: 'What it must say. Other values beside it do no harm.',
  },
  IdentityProvider: {
    ...PROVIDER,
    id: 'Identifier, starting with `idp_`.',
    kind: '`oidc`: OpenID Connect.',
    oidc: 'How it is reached; its client secret is not shown.',
    redirectUri: 'To be registered at the provider.',
    createdBy: 'Account or service account that made it.',
    lastSignInAt: 'Time of the last sign-in by it; null: none yet.',
  },
  IdentityProviderOidc: OIDC,
  IdentityProviderRoleRule: RULE,
  CreateIdentityProviderBody: { ...PROVIDER, kind: '`oidc`: OpenID Connect.', oidc: 'How it is reached.' },
  CreateIdentityProviderBodyOidc: { ...OIDC, clientSecret: 'What the provider has given for the client id.' },
  CreateIdentityProviderBodyRoleRule: RULE,
  UpdateIdentityProviderBody: { ...PROVIDER, oidc: 'How it is reached from now on.' },
  CreateDomainBody: { name: 'The part of addresses after the `@`, in any script.' },
}
