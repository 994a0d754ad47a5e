import type { Descriptions } from './descriptions.ts'

const PROVIDER = {
  name: 'The name for people, also in mails.',
  status: '`active`, or `disabled`: sign-ins by it are refused.',
  createsMemberships: 'Whether a sign-in with an address of a proven domain makes a membership.',
  endsProviderSession: 'Whether signing out also ends the session at the provider. Default: `false`.',
  managesRoles:
    'Whether the rules for roles apply at each sign-in, and not only at the first. Roles from groups of the directory do not change.',
  defaultRole:
    'Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`.',
  roleRules: 'The first matching rule gives the role.',
  secondFactorValues:
    'Values that count as a second factor: of `amr` or `acr`; for SAML, of the authentication context class.',
}
const OIDC = { issuer: 'The value in its metadata.', clientId: 'The name of Postern at the provider.' }
const RULE = {
  claim: 'A claim of the ID token or the name of an attribute, such as `groups`.',
  value: 'A value of the claim, single or in a list.',
  role: 'The role then: `administrator`, `member`, or an id that starts with `rol_`.',
}

const END_KEYS =
  'Whether the API keys that a person made or rotated end with a membership that the directory ends. Default: false.'
const GROUP_PRIORITY = 'Of several groups of a user, the one with the highest priority gives the role.'

const KIND = '`oidc`: OpenID Connect. `saml`: SAML 2.0.'
const SAML = {
  entityId: 'The entity id of the provider, from its metadata.',
  signOnUrl: 'Where browsers are sent with a request (HTTP-Redirect); Postern never calls it.',
  certificates: 'Its signing certificates. Each is accepted until it is removed, also after its expiry.',
  emailAttribute:
    'The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`.',
  logoutUrl:
    'The address for browsers with messages about sign-outs (its `SingleLogoutService`); null: it has none.',
  logoutResponseUrl: 'Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`.',
  logoutBinding: 'How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST).',
}
const SAML_ASKED = {
  ...SAML,
  metadata: 'The metadata of the provider, instead of the members that they contain. Nothing is fetched.',
}

const SETUP_LINK = {
  name: 'Whom it is for, in the words of its maker.',
  purposes: 'The permitted uses.',
  email: 'Where it is mailed to; null or omitted: its maker hands it over.',
  activates: 'Whether a sign-in that works enables the identity provider; else an administrator does.',
  createsMemberships: 'The same as for the added identity provider.',
}

export const SIGN_IN_DESCRIPTIONS: Descriptions = {
  Domain: {
    id: 'Identifier, starting with `dom_`.',
    name: 'The domain, in ASCII.',
    status:
      '`pending` until its record was found. `failing`: the record is missing, and the domain still counts as proven. `lost`: it no longer counts.',
    reason: 'Why the last check found no proof; null: it found one, or no check was made.',
    createdBy: 'Account or service account that claimed it.',
    checkedAt: 'Time of the last look-up of the record; null: never.',
    verifiedAt: 'When the domain was proven; null: never.',
    failingSince: 'Since when the record is missing; null while it is not.',
  },
  DomainRecord: {
    type: 'Always `TXT`.',
    name: 'Where to publish it.',
    value: 'The required value. Additional values are allowed.',
  },
  IdentityProvider: {
    ...PROVIDER,
    id: 'Identifier, starting with `idp_`.',
    kind: KIND,
    oidc: 'How it is reached; its client secret is not shown. null of SAML.',
    saml: 'How it is known; null of OpenID Connect.',
    redirectUri: 'To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST).',
    createdBy: 'Account or service account that made it.',
    lastSignInAt: 'The time of its last sign-in; null: none yet.',
  },
  IdentityProviderOidc: {
    ...OIDC,
    backChannelLogoutUri: 'To be registered at the provider, where it can report sign-outs.',
    postLogoutRedirectUri:
      'To be registered at the provider where `endsProviderSession` is set: it sends people back there.',
  },
  IdentityProviderRoleRule: RULE,
  IdentityProviderSaml: {
    ...SAML,
    ownEntityId: 'The entity id of Postern for the provider; each provider has another one.',
    ownMetadataUrl: 'The entity id and `redirectUri` as SAML metadata, without credentials.',
    ownCertificateUrl:
      'The certificate to which the provider may encrypt assertions, as PEM; also in the metadata.',
    ownSigningCertificateUrl:
      'The certificate with which the provider verifies sign-out messages of Postern, as PEM; also in the metadata.',
    ownLogoutUrl:
      'To be registered at the provider for single logout, HTTP-Redirect and HTTP-POST; the metadata have it, too.',
  },
  IdentityProviderSamlCertificate: {
    fingerprint: 'SHA-256 of it, in hex.',
    subject: 'Its subject.',
    notBefore: 'Start of its validity, for information only.',
    notAfter:
      'End of its validity, before which `GET /v1/problems` names it. Signatures are accepted after it too.',
  },
  IdentityProviderKeyRotation: { previousEndsAt: 'When the previous keys end.' },
  IdentityProviderTest: {
    works: 'Whether nothing was found.',
    findings: 'The problems, each with a reason of the catalogue.',
    certificatesEndAt: 'When the last SAML certificate ends; null for OpenID Connect.',
  },
  IdentityProviderTestFinding: {
    code: 'The code of the catalogue that a sign-in or a change would meet.',
    reason: 'The reason, such as `foreign_issuer`, `keys_status_404`, `timeout` or `certificate_expired`.',
    field: 'The member of the identity provider that it is about.',
  },
  CreateIdentityProviderBody: {
    ...PROVIDER,
    kind: KIND,
    oidc: 'How it is reached, where it is `oidc`.',
    saml: 'The settings of a `saml` provider: `metadata`, or the members that they contain.',
  },
  CreateIdentityProviderBodySaml: SAML_ASKED,
  CreateIdentityProviderBodyOidc: { ...OIDC, clientSecret: 'The client secret from the provider.' },
  CreateIdentityProviderBodyRoleRule: RULE,
  UpdateIdentityProviderBodySaml: SAML_ASKED,
  UpdateIdentityProviderBodyOidc: {
    ...OIDC,
    clientSecret: 'The client secret from the provider; required with a new issuer, else omitted to keep it.',
  },
  UpdateIdentityProviderBody: {
    ...PROVIDER,
    oidc: 'The new OpenID Connect settings.',
    saml: 'The new SAML settings. Omitted members keep their values.',
  },
  SetupLink: {
    ...SETUP_LINK,
    id: 'Identifier, starting with `sul_`.',
    status:
      '`pending` until it is opened; `opened` in one browser until it is `finished`, `revoked` or `expired`.',
    identityProviderId: 'The identity provider that was added by it; null: none yet.',
    createdBy: 'On whose right it rests.',
    openedAt: 'When a browser opened it; null: none has.',
    endedAt: 'When it was finished or revoked; null: it was not.',
    url: 'The link, only in this answer and only if it was not mailed.',
  },
  CreateSetupLinkBody: {
    ...SETUP_LINK,
    language: 'The language of the mail.',
    expiresInDays: 'How long it lasts, unless the key that makes it ends before.',
  },
  Setup: {
    organization: 'The name of the organization.',
    purposes: 'The purposes of the link.',
    status: '`finished` in the answer that ends it.',
    domains: 'Domains of the organization; null without that purpose.',
    identityProvider: 'The one identity provider of the link; null without that purpose.',
    directory: 'The values to enter at the directory; null without that purpose.',
  },
  SetupDomain: {
    name: 'The domain, in ASCII.',
    status: 'The same as in `GET /v1/domains`.',
    record: 'The record to publish in the domain name system.',
    reason: 'Why the last check found no proof; null: it found one, or no check was made.',
  },
  SetupDomainRecord: {
    type: 'Always `TXT`.',
    name: 'Where to publish it.',
    value: 'The required value.',
  },
  SetupIdentityProvider: {
    redirectUri: 'To be registered at the provider; for SAML the address for answers (ACS, HTTP-POST).',
    ownEntityId: 'For SAML: the entity id of Postern for the provider.',
    activates: 'Whether a sign-in that works enables it.',
    kind: `${KIND} null: it was not entered yet.`,
    status: 'null: it was not entered yet.',
    issuer: 'The issuer, or of SAML the entity id.',
    clientId: 'Of OpenID Connect.',
    signOnUrl: 'Of SAML.',
    isChangeable: 'Whether the link may still enter and test it.',
    test: 'The result of the last test sign-in with the current settings; null: none.',
  },
  SetupIdentityProviderTest: {
    at: 'When it came back.',
    works: 'Whether the provider vouched for a person.',
    reason: 'Why it does not work; null: it does.',
    address:
      'Whether the organization has proven the domain of the address of the person; `none`: the provider named no address. null: it does not work.',
  },
  SetupDirectory: {
    url: 'The base URL for SCIM.',
    hasKey: 'Whether a key was made by the link.',
  },
  ChangeSetupProviderBody: {
    kind: KIND,
    oidc: 'How it is reached, where it is `oidc`.',
    saml: 'The settings of a `saml` provider: `metadata`, or the members that they contain.',
  },
  CreateDomainBody: { name: 'The part of addresses after the `@`, in any script.' },
  Provisioning: {
    url: 'Base URL for the SCIM client of the directory.',
    endKeys: END_KEYS,
    users: 'Users that the directory has provisioned.',
    activeUsers: 'The users with access.',
    groups: 'Groups that it has provisioned.',
  },
  ChangeProvisioningBody: { endKeys: END_KEYS },
  ProvisionedUser: {
    id: 'Identifier, starting with `scu_`.',
    userName: 'The name of the person at the directory.',
    email: 'The address of the person, in lower case.',
    externalId: 'The id of the person at the directory; null: unknown.',
    active: 'Whether the directory lets the person in.',
    accountId: 'The account of the person, starting with `acc_`; null while there is none.',
    membership:
      '`member`, `invited` while an invitation is pending, or `none`: not active, removed by an administrator, or the invitation has ended.',
    role: '`administrator`, `member`, or the id of a role of the organization; null without a membership.',
    updatedAt: 'When the directory last changed it.',
  },
  ProvisionedGroup: {
    id: 'Identifier, starting with `scg_`.',
    displayName: 'The name of the group at the directory.',
    externalId: 'The id of the group at the directory; null: unknown.',
    users: 'How many users it has.',
    role: '`administrator`, `member`, or the id of a role of the organization; null: it gives none.',
    roleName: 'The name of that role; null: it gives none.',
    priority: GROUP_PRIORITY,
    updatedAt: 'When the directory, or an administrator, last changed it.',
  },
  ProvisioningExchange: {
    id: 'Identifier, starting with `sce_`.',
    method: 'The method of the request.',
    path: 'Path and query without values: `{id}` stands for an id of Postern, `…` for any other value.',
    status: 'The status of the answer.',
    code: 'A code of the catalogue; null: the request succeeded.',
    scimType: 'The `scimType` of RFC 7644; null where it has none.',
    detail: 'The error in one sentence; null: the request succeeded.',
    resourceId:
      'User or group that the request named or created, starting with `scu_` or `scg_`; null: it named none by an id of Postern.',
    externalId: 'The directory’s id of that user or group; null: unknown, or it is deleted.',
    durationMs: 'How long the answer took, in milliseconds.',
    createdAt: 'When the request arrived.',
  },
  ChangeProvisionedGroupBody: {
    role: '`administrator`, `member`, or the id of a role of the organization; null: it gives none.',
    priority: GROUP_PRIORITY,
  },
}
