import type { Descriptions } from './descriptions.ts'

const PERSON = {
  email: 'The e-mail address, in lower case.',
  firstName: 'Given name; null until the person has signed up.',
  lastName: 'Family name; null until the person has signed up.',
  role: '`administrator`, `member`, or the id of a role of the organization, starting with `rol_`.',
  roleName: 'The name of that role.',
}
const MAIL_LANGUAGE = 'Of the mail, unless the person has chosen one. Default: that of the organization.'
const GIVEN_ROLE =
  'Role that the person gets on joining: `administrator`, `member`, or the id of a role of the organization.'
const ROLE = {
  name: 'The name of the role, unique in the organization.',
  description: 'The purpose of the role; null: none is given.',
  permissions: 'The permissions of its holders. docs/scopes.md lists the operations of each.',
}
const NEW_NAMES = {
  firstName: 'Given name, which others in the organization see.',
  lastName: 'Family name, which others in the organization see.',
}
const INVITATION_TOKEN =
  'The secret of an invitation link, which follows `?token=`. It proves that the person reads the mailbox.'
const EXPIRES_IN = 'Days after which the link of the invitation no longer works.'
const SERVICE_ACCOUNT = {
  name: 'The name of the machine in records of its actions.',
  description: 'The purpose of the machine; null: none is given.',
  ownerId: 'The responsible member, starting with `acc_`; null after that person has left.',
}
const KEY = {
  serviceAccountId: 'Service account that the key belongs to, starting with `svc_`.',
  name: 'The name of the key.',
  role: 'The upper limit of the key’s rights. A key never has more rights than its maker.',
  scopes:
    'The part of its role’s permissions that the key has; null: all. docs/scopes.md lists the operations of each scope.',
  description: 'The use of the key; null: none is given.',
  createdBy: 'Account or service account that made the key.',
  allowedAddresses: 'Networks from which the key may be used; null: from anywhere.',
  rotatedBy: 'Account or service account that made the current secret; null for the first secret.',
  rotatedAt: 'When the current secret was made; null for the first secret.',
  formerSecrets: 'Replaced secrets that still work, the newest first.',
  createdWith: 'API key with which it was made, starting with `key_`; null where a person made it.',
  expiresAt: 'From then on the key is refused; null: it does not expire.',
  lastUsedAt: 'When the key was last used, at most a minute earlier than the last use; null: never.',
}

/** Accounts, invitations, sessions, organizations and their members. */
const SIGN_IN = {
  required: 'Whether its members sign in by its identity provider, and by nothing else.',
  exceptions: 'Administrators who may use their own sign-in, with a second factor.',
}

export const ACCESS_DESCRIPTIONS: Descriptions = {
  Factor: {
    kind: '`totp`: an authenticator app. `passkey`: a device or a password manager.',
    name: 'The name that the person gave it.',
    lastUsedAt: 'When it was last used; null: never.',
  },
  InvitationDelivery: {
    status:
      '`not_configured`: the server has no mail server, and the link must be handed over in another way.',
    attempts: 'How often the mail was handed to the mail server.',
    lastAttemptAt: 'When it was last tried; null before the first try.',
  },
  Invitation: {
    email: 'The invited address.',
    role: 'Role that the person gets: `administrator`, `member`, or an id that starts with `rol_`.',
    roleName: 'The name of that role; null where it was deleted.',
    status: '`expired` once `expiresAt` has passed; sending it again makes it `pending` again.',
    inviterId: 'Account or service account that invited; null for the command line of the server.',
    expiresAt: 'From then on the link no longer works.',
    acceptedAt: 'When the person joined; null until then.',
    revokedAt: 'When an administrator revoked it; null while it is not revoked.',
    delivery: 'The state of the last mail of this invitation.',
  },
  CreateInvitationBody: { role: GIVEN_ROLE, expiresInDays: EXPIRES_IN, language: MAIL_LANGUAGE },
  CreateInvitationsBody: {
    invitations: 'Each succeeds or fails independently.',
    expiresInDays: EXPIRES_IN,
    language: MAIL_LANGUAGE,
  },
  CreateInvitationsBodyInvitation: {
    email: 'Checked per row: an invalid address fails only its own row.',
    role: `${GIVEN_ROLE} \`member\` where it is left out.`,
  },
  CreatedInvitation: { results: 'One result for each invitation of the request, in the same order.' },
  CreatedInvitationResult: {
    email: 'The address as it was sent.',
    invitation: 'Present where the invitation was made.',
    error: 'Present where it was not.',
  },
  PreviewInvitationAnswer: {
    email: 'The invited address; the sign-up accepts no other.',
    organizations: 'Every organization that accepting would lead into.',
    expiresAt: 'From then on the link no longer works.',
  },
  PreviewInvitationAnswerOrganization: {
    name: 'Name of the organization.',
    role: 'Role that the person gets there: `administrator`, `member`, or an id.',
    roleName: 'The name of that role.',
  },
  SessionUser: {
    ...PERSON,
    language: 'The language that the person has chosen for mails; null: that of the organization.',
    status: '`inactive` until the sign-up is complete; `disabled` accounts cannot sign in.',
    emailVerified: 'Whether the person has proved to read mail to this address.',
    termsAcceptedAt: 'When the terms of use were accepted; null: not yet.',
    organizations: 'The organizations that the account is a member of, the first one joined first.',
  },
  SessionUserOrganization: {
    name: 'Name of the organization.',
    role: PERSON.role,
    roleName: PERSON.roleName,
    secondFactorDueAt:
      'From then on the person gets no JWT of the organization without a second factor; null: none is required, or the person has one.',
  },
  SessionContent: {
    organizationId:
      'The only organization of the session, if that organization’s identity provider began it; null: all of the account.',
    identityProviderId:
      'The identity provider of an organization that began it; null: the person’s own sign-in.',
    expiresAt: 'When the session ends at the latest; unused, it ends earlier.',
  },
  OwnGrant: {
    accountId: 'The person who granted it.',
    organizationId: 'The organization of the grant.',
    clientId: 'The application: an id that starts with `ocl_`, or the URL of its document.',
    clientName: 'The name that the application chose.',
    clientHost: 'The host to which the browser returned; for a device, its IP address.',
    resource: 'The part of this server for which its tokens are valid.',
    scopes: 'The granted permissions, as far as the person still has them.',
    identityScopes: 'The personal data that it may read.',
    endsWithSession: 'Whether it ends when the person signs out.',
    lastUsedAt: 'When its last tokens were issued; null: never.',
    expiresAt: 'When it expires.',
  },
  Authorization: {
    client: 'The requesting application.',
    resource: 'The part of this server for which its tokens would be valid.',
    identity: 'The requested personal data.',
    scopes: 'The requested permissions.',
    organizations: 'The organizations for which the person can grant it.',
  },
  AuthorizationClient: { name: 'The name that the application chose.' },
  AuthorizationScope: { name: 'A permission of docs/scopes.md.', about: 'A description for people.' },
  DecideAuthorizationBody: {
    allow: 'Whether the person grants it.',
    scopes: 'The granted scopes. Default: all requested ones.',
  },
  DeviceRequest: {
    client: 'The requesting application.',
    device: 'The origin of the request, by which a person can recognize their device.',
    resource: 'The part of this server for which its tokens would be valid.',
    identity: 'The requested personal data.',
    scopes: 'The requested permissions.',
    organizations: 'The organizations for which the person can grant it.',
  },
  DeviceRequestClient: {
    name: 'The name that the application chose.',
    isRegistered:
      'Whether the operator registered it, or it is part of Postern; otherwise it chose its own name.',
  },
  DeviceRequestDevice: {
    address: 'The IP address of the request.',
    program: '`User-Agent` of its request, cut at 200 characters.',
    isSameNetwork: 'Whether this request comes from the same network.',
    ageSeconds: 'The age of the request in seconds.',
  },
  ReadDeviceRequestBody: {
    userCode: 'The code that the device shows, with or without separators.',
  },
  DecideDeviceRequestBody: {
    userCode: 'The code that the device shows.',
    allow: 'Whether the person grants it.',
    scopes: 'The granted scopes. Default: all requested ones.',
  },
  DecideAuthorizationAnswer: { redirectTo: 'The next URL for the browser.' },
  Session: { user: 'The account that is signed in.', session: 'The session of this browser.' },
  SessionItem: {
    current: 'Whether it is the session of the request.',
    ip: 'IP address of its last use.',
    userAgent: '`User-Agent` of its browser, cut at 256 characters.',
    lastSeenAt: 'When it was last used, at most an hour old.',
    expiresAt: 'When it ends at the latest; unused, it ends earlier.',
  },
  SignUpWithEmailAnswer: {
    user: 'The account, which is `active` where the address is proved.',
    session: 'Null if the address must first be confirmed by a link that is mailed.',
    emailVerificationRequired: 'Whether the person must open the link of a mail before signing in.',
  },
  SignUpWithEmailBody: { ...NEW_NAMES, invitationToken: INVITATION_TOKEN },
  VerifyEmailBody: { token: 'The secret of the confirmation link, which follows `?token=`. It works once.' },
  SignInWithEmailBody: { password: 'The password of the account.' },
  SignInWithProviderAnswer: { authUrl: 'The address of the sign-in at the provider, for the browser.' },
  SignInWithProviderBody: {
    invitationToken: INVITATION_TOKEN,
  },
  RequestMagicLinkAnswer: { status: 'Always true, whether or not the address has an account.' },
  ResetPasswordBody: { token: 'The secret of the reset link, which follows `?token=`. It works once.' },
  PendingSignIn: {
    methods: 'The accepted second factors.',
    expiresAt: 'When the pending sign-in expires, and must be started again.',
  },
  SignInWithSecondFactorAnswer: {
    user: 'The account that is signed in.',
    session: 'The new session; its cookie is in the answer.',
  },
  SignInWithSecondFactorBody: {
    code: 'The six digits of an authenticator app.',
    recoveryCode: 'One of the recovery codes, with or without hyphens.',
    passkey: 'The answer of the browser to the options, as `toJSON()` writes it.',
  },
  StartTotpBody: { name: 'The name of the app. Default: `Authenticator app`.' },
  StartTotpAnswer: {
    secret: 'In base32, for manual entry. Only this answer shows it.',
    uri: 'The `otpauth:` address that the QR code holds.',
    qrCode: 'The QR code of `uri`, to be drawn as an SVG.',
  },
  StartTotpAnswerQrCode: {
    size: 'Side of the square, in modules, with its border.',
    path: 'The dark modules, as the `d` of an SVG path.',
  },
  VerifyTotpBody: { code: 'The six digits that the app shows.' },
  VerifyTotpAnswer: {
    factor: 'The factor, which counts from now on.',
    recoveryCodes: 'Only this answer shows them; null where the account had a factor before.',
  },
  ReplaceRecoveryCodesAnswer: { recoveryCodes: 'Only this answer shows them.' },
  VerifySecondFactorAnswer: { shownUntil: 'Until when the session need not show another.' },
  SignInWithMagicLinkAnswer: {
    user: 'The account that is signed in.',
    session: 'The new session; its cookie is in the answer.',
    callbackURL: 'The URL that the requesting page has named for the browser; null without one.',
  },
  SignInWithMagicLinkBody: {
    token: 'The secret of the sign-in link, which follows `?token=`. It works once.',
    code: 'The short code of the mail, for other browsers than the requesting one.',
  },
  CreatedToken: {
    token: 'The JWT, for `Authorization: Bearer`.',
    expiresAt: '60 minutes after it was made.',
  },
  DeleteMemberApiKeysAnswer: { deletedApiKeys: 'How many keys were deleted.' },
  EmailChange: { change: 'The change that waits for a mailbox; null where none does.' },
  EmailChangeContent: {
    newEmail: 'The new address of the account.',
    askedBy: 'Who began it.',
    expiresAt: 'When its links stop working.',
  },
  ConfirmEmailChangeBody: { token: 'The secret of the link, which follows `?token=`.' },
  ConfirmEmailChangeAnswer: { status: '`changed` where both mailboxes have agreed.' },
  EndOtherSessionsAnswer: { endedSessions: 'How many sessions of the account were ended.' },
  SignOutForApplicationBody: {
    idTokenHint: '`id_token_hint` of the request.',
    clientId: '`client_id` of the request.',
    postLogoutRedirectUri: '`post_logout_redirect_uri` of the request.',
    state: '`state` of the request, returned to the application.',
  },
  SignOutAnswer: { success: 'Always true, also without a session.' },
  ChangeAccountBody: { ...NEW_NAMES, language: 'Of mails to the account; null: that of the organization.' },
  ChangePasswordBody: {
    currentPassword: 'The current password, so that an open browser alone cannot change it.',
  },
  OrganizationSignIn: SIGN_IN,
  RenameOrganizationBodySignIn: SIGN_IN,
  Organization: {
    signIn: 'Whether its members sign in by its identity provider.',
    name: 'Name of the organization.',
    externalId: 'Its id on the platform that made it; null without one.',
    plan: 'Name of its plan; `GET /v1/billing/plans` describes each.',
    secondFactorRequiredFrom:
      'From then on members without a second factor get no JWT for it; null: it requires none.',
    secondFactorGraceMs:
      'The time that a member has to add one after that moment, or after joining, whichever is later.',
    language: 'Of its mails, and of pages about it; null: that of the installation.',
  },
  RenameOrganizationBody: {
    signIn: 'Whether its members sign in by its identity provider. It also requires `sign_in:write`.',
    name: 'The new name, unique among the organizations of the server.',
    secondFactorRequiredFrom: 'From when on members need a second factor; null requires none.',
    secondFactorGraceMs:
      'The time that a member has to add one after that moment, or after joining, whichever is later. Default: 0.',
    language: 'Of its mails, and of pages about it; null: that of the installation.',
  },
  Member: { ...PERSON, joinedAt: 'When the person became a member.' },
  Actor: {
    id: 'The requested id: `acc_…`, `svc_…`, `key_…` or `pky_…`.',
    kind: '`former_member`: the person has left the organization.',
    name: 'Name of a person, of a former member when leaving, of a service account or of an API key; null where the caller may not see names of service accounts and keys.',
  },
  ChangeMemberRoleBody: {
    role: 'The new role: `administrator`, `member`, or the id of a role of the organization. The last administrator keeps that role.',
  },
  OrganizationRole: {
    ...ROLE,
    id: '`administrator` or `member`, or an id that starts with `rol_`.',
    isFixed: 'Whether every organization has it; such a role cannot be changed.',
    createdBy: 'Account or service account that made it; null for a fixed one.',
    createdAt: 'When it was made; null for a fixed one.',
    updatedAt: 'When it was last changed; null for a fixed one.',
  },
  CreateRoleBody: ROLE,
  UpdateRoleBody: {
    ...ROLE,
    permissions: 'All that its holders may do from now on. docs/scopes.md lists the operations of each.',
  },
  ServiceAccount: {
    ...SERVICE_ACCOUNT,
    lastUsedAt:
      'When one of its keys was last used, at most a minute earlier than the last use; null: never.',
  },
  CreateServiceAccountBody: { name: SERVICE_ACCOUNT.name, description: SERVICE_ACCOUNT.description },
  UpdateServiceAccountBody: { name: SERVICE_ACCOUNT.name, description: SERVICE_ACCOUNT.description },
  ApiKey: KEY,
  ApiKeyFormerSecret: {
    hint: 'The last four characters of the secret.',
    expiresAt: 'From then on the secret is refused.',
    lastUsedAt:
      'When it was last used after its replacement, at most a minute earlier than the last use; null: never after it.',
  },
  UpdateApiKeyBody: {
    expiresInDays: 'Days from now after which the key is refused; null: it does not expire.',
  },
  CreatedApiKey: {
    ...KEY,
    key: 'The secret of the key, for `Authorization: Bearer`. Only this answer shows it.',
  },
  CreateApiKeyBody: {
    name: KEY.name,
    description: KEY.description,
    role: 'The most that the key may do. Without it: member, or administrator where a scope needs that.',
    scopes:
      'Narrows the key to these; without them it may do all that its role may. A key that is narrowed gives no scope that it lacks.',
    expiresInDays: 'Days after which the key is refused. Default: it does not expire.',
  },
  Mail: {
    to: 'Address of the recipient.',
    subject: 'Subject line of the mail.',
    invitationId: 'Invitation that the mail is about, starting with `inv_`; null for other mails.',
    status: '`not_configured`: the server has no mail server, and the mail is kept.',
    attempts: 'How often the mail was handed to the mail server.',
    lastAttemptAt: 'When it was last tried; null before the first try.',
  },
  ListSigningKeysAnswer: {
    keys: 'Public keys as JSON Web Keys (RFC 7517): the current one, the next one, and those still in use.',
  },
  AuditEntry: {
    action: 'The action, such as `webhook.created`.',
    organizationId:
      'Organization of the action, starting with `org_`; null for actions without an organization.',
    accountId: 'Account that it concerns, starting with `acc_`; null where it concerns none.',
    actorId: 'Account or service account that did it; null for the server itself or its command line.',
    keyId: 'API key of the service account, starting with `key_`; null where a person or the server acted.',
    targetId: 'Id of the changed resource; null where it has none.',
    details: 'Facts of this action; never a secret.',
    ip: 'IP address that the request came from.',
    userAgent: '`User-Agent` of the client, cut at 256 characters.',
    requestId: 'The `X-Request-Id` of the request.',
  },
}
