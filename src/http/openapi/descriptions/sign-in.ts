import type { Descriptions } from './descriptions.ts'

const PROVIDER = {
  name: 'What people call it, in mails, too.',
  status: '`active`, or `disabled`: sign-ins by it are refused.',
  createsMemberships: 'Whether a sign-in with an address of a proven domain makes a membership.',
  endsProviderSession: 'Whether signing out also ends the session at the provider. Default: `false`.',
  managesRoles:
    'Whether the rules for roles are applied at each sign-in, and not only at the first. Who has a role from a group of the directory keeps it.',
  defaultRole:
    'Role of members without a matching rule: `administrator`, `member`, or an id that starts with `rol_`.',
  roleRules: 'The first one that matches names the role.',
  secondFactorValues:
    'Values that count as a second factor: of `amr` or `acr`; by SAML of the class of the authentication.',
}
const OIDC = { issuer: 'As its metadata have it.', clientId: 'What Postern is called there.' }
const RULE = {
  claim: 'A claim of the ID token or the name of an attribute, such as `groups`.',
  value: 'A value that the claim has, alone or in a list.',
  role: 'The role then: `administrator`, `member`, or an id that starts with `rol_`.',
}

const END_KEYS =
  'Whether the API keys that a person made or rotated end with a membership that the directory ends. Default: false.'
const GROUP_PRIORITY = 'Of several groups of a user the one with the highest gives the role.'

const KIND = '`oidc`: OpenID Connect. `saml`: SAML 2.0.'
const SAML = {
  entityId: 'What the provider calls itself, as its metadata have it.',
  signOnUrl: 'Where browsers are sent with a request (HTTP-Redirect); Postern never calls it.',
  certificates: 'Its signing certificates. Each is accepted until it is removed, also after its expiry.',
  emailAttribute:
    'The attribute with the address; null: the usual attributes, or a `NameID` of the format `emailAddress`.',
  logoutUrl:
    'Where browsers are sent with messages about sign-outs (its `SingleLogoutService`); null: it takes none.',
  logoutResponseUrl: 'Where they are sent with answers to its requests for a sign-out; null: to `logoutUrl`.',
  logoutBinding: 'How such messages reach it: `redirect` (HTTP-Redirect) or `post` (HTTP-POST).',
}
const SAML_ASKED = {
  ...SAML,
  metadata: 'The metadata of the provider, instead of the members that they say. Nothing is fetched.',
}

const SETUP_LINK = {
  name: 'Whom it is for, in the words of its maker.',
  purposes: 'What it may be used for, and nothing else.',
  email: 'Where it is mailed to; null or omitted: its maker hands it over.',
  activates: 'Whether a sign-in that works enables the identity provider; else an administrator does.',
  createsMemberships: 'As of the identity provider that is added by it.',
}

export const SIGN_IN_DESCRIPTIONS: Descriptions = {
  Domain: {
    id: 'Identifier, starting with `dom_`.',
    name: 'The domain, in ASCII.',
    status:
      '`pending` until its record was found. `failing`: the record is missing, and the domain still counts as proven. `lost`: it does not any more.',
    reason: 'Why the last check found no proof; null: it found one, or there was none.',
    createdBy: 'Account or service account that claimed it.',
    checkedAt: 'Time of the last look-up of the record; null: never.',
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
    kind: KIND,
    oidc: 'How it is reached; its client secret is not shown. null of SAML.',
    saml: 'How it is known; null of OpenID Connect.',
    redirectUri: 'To be registered at the provider; of SAML the address that takes answers (ACS, HTTP-POST).',
    createdBy: 'Account or service account that made it.',
    lastSignInAt: 'Time of the last sign-in by it; null: none yet.',
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
    ownEntityId: 'What Postern calls itself there; each provider has another one.',
    ownMetadataUrl: 'The same and `redirectUri` as metadata of SAML, without credentials.',
    ownCertificateUrl:
      'The certificate to which the provider may encrypt assertions, as PEM; the metadata have it, too.',
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
    findings: 'What is wrong, each in the terms of the catalogue.',
    certificatesEndAt: 'When the last certificate of SAML ends; null of OpenID Connect.',
  },
  IdentityProviderTestFinding: {
    code: 'The code of the catalogue that a sign-in or a change would meet.',
    reason: 'What it is, such as `foreign_issuer`, `keys_status_404`, `timeout` or `certificate_expired`.',
    field: 'The member of the identity provider that it is about.',
  },
  CreateIdentityProviderBody: {
    ...PROVIDER,
    kind: KIND,
    oidc: 'How it is reached, where it is `oidc`.',
    saml: 'How it is known, where it is `saml`: `metadata`, or the members that they say.',
  },
  CreateIdentityProviderBodySaml: SAML_ASKED,
  CreateIdentityProviderBodyOidc: { ...OIDC, clientSecret: 'What the provider has given for the client id.' },
  CreateIdentityProviderBodyRoleRule: RULE,
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
    url: 'The link, once and only where it was not mailed.',
  },
  CreateSetupLinkBody: {
    ...SETUP_LINK,
    language: 'The language of the mail.',
    expiresInDays: 'How long it lasts, unless the key that makes it ends before.',
  },
  Setup: {
    organization: 'The name of the organization.',
    purposes: 'What the link is for.',
    status: '`finished` in the answer that ends it.',
    domains: 'Domains of the organization; null without that purpose.',
    identityProvider: 'The one identity provider of the link; null without that purpose.',
    directory: 'The values to enter at the directory; null without that purpose.',
  },
  SetupDomain: {
    name: 'The domain, in ASCII.',
    status: 'As of `GET /v1/domains`.',
    record: 'What to publish in the domain name system.',
    reason: 'Why the last check found no proof; null: it found one, or there was none.',
  },
  SetupDomainRecord: {
    type: 'Always `TXT`.',
    name: 'Where to publish it.',
    value: 'What it must say.',
  },
  SetupIdentityProvider: {
    redirectUri: 'To be registered at the provider; of SAML the address that takes answers (ACS, HTTP-POST).',
    ownEntityId: 'Of SAML: what Postern calls itself there.',
    activates: 'Whether a sign-in that works enables it.',
    kind: `${KIND} null: it was not entered yet.`,
    status: 'null: it was not entered yet.',
    issuer: 'The issuer, or of SAML the entity id.',
    clientId: 'Of OpenID Connect.',
    signOnUrl: 'Of SAML.',
    isChangeable: 'Whether the link may still enter and test it.',
    test: 'What the last sign-in there showed, with the present settings; null: there was none.',
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
    saml: 'How it is known, where it is `saml`: `metadata`, or the members that they say.',
  },
  CreateDomainBody: { name: 'The part of addresses after the `@`, in any script.' },
  Provisioning: {
    url: 'Base URL for the SCIM client of the directory.',
    endKeys: END_KEYS,
    users: 'Users that the directory has provisioned.',
    activeUsers: 'Those of them who may come in.',
    groups: 'Groups that it has provisioned.',
  },
  ChangeProvisioningBody: { endKeys: END_KEYS },
  ProvisionedUser: {
    id: 'Identifier, starting with `scu_`.',
    userName: 'What the directory calls the person.',
    email: 'The address of the person, in lower case.',
    externalId: 'How the directory knows the person; null: it does not say.',
    active: 'Whether the directory lets the person in.',
    accountId: 'Account that the person was admitted as, starting with `acc_`; null while there is none.',
    membership:
      '`member`, `invited` while an invitation is pending, or `none`: not active, removed by an administrator, or the invitation has ended.',
    role: '`administrator`, `member`, or the id of a role of the organization; null without a membership.',
    updatedAt: 'When the directory last changed it.',
  },
  ProvisionedGroup: {
    id: 'Identifier, starting with `scg_`.',
    displayName: 'What the directory calls it.',
    externalId: 'How the directory knows it; null: it does not say.',
    users: 'How many users it has.',
    role: '`administrator`, `member`, or the id of a role of the organization; null: it gives none.',
    roleName: 'What people call that role; null: it gives none.',
    priority: GROUP_PRIORITY,
    updatedAt: 'When the directory, or an administrator, last changed it.',
  },
  ProvisioningExchange: {
    id: 'Identifier, starting with `sce_`.',
    method: 'The method of the request.',
    path: 'Path and query without values: `{id}` stands for an id of Postern, `…` for any other value.',
    status: 'The status of the answer.',
    code: 'A code of the catalogue; null: the request succeeded.',
    scimType: 'What RFC 7644 calls the error; null where it has no name for it.',
    detail: 'What went wrong, in a sentence; null: the request succeeded.',
    resourceId:
      'User or group that the request named or created, starting with `scu_` or `scg_`; null: it named none by an id of Postern.',
    externalId: 'How the directory knows that user or group; null: it does not say, or it is deleted.',
    durationMs: 'How long the answer took, in milliseconds.',
    createdAt: 'When the request arrived.',
  },
  ChangeProvisionedGroupBody: {
    role: '`administrator`, `member`, or the id of a role of the organization; null: it gives none.',
    priority: GROUP_PRIORITY,
  },
}
