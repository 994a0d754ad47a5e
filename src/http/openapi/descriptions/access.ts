import type { Descriptions } from './descriptions.ts'

const PERSON = {
  email: 'The e-mail address, in lower case.',
  firstName: 'Given name; null until the person has signed up.',
  lastName: 'Family name; null until the person has signed up.',
  role: '`administrator`, `member`, or the id of a role of the organization, starting with `rol_`.',
  roleName: 'What people call that role.',
}
const MAIL_LANGUAGE = 'Of the mail, unless the person has chosen one. Default: that of the organization.'
const GIVEN_ROLE =
  'Role that the person gets on joining: `administrator`, `member`, or the id of a role of the organization.'
const ROLE = {
  name: 'What people call the role, unique in the organization.',
  description: 'The purpose of the role; null: none is given.',
  permissions: 'What its holders may do. docs/scopes.md lists the operations of each.',
}
const NEW_NAMES = {
  firstName: 'Given name, as others in the organization see it.',
  lastName: 'Family name, as others in the organization see it.',
}
const INVITATION_TOKEN =
  'The secret of an invitation link, which follows `?token=`. It proves that the person reads the mailbox.'
const EXPIRES_IN = 'Days after which the link of the invitation no longer works.'
const SERVICE_ACCOUNT = {
  name: 'What the machine is called where it has done something.',
  description: 'The purpose of the machine; null: none is given.',
  ownerId: 'The member to ask about it, starting with `acc_`; null once that person has left.',
}
const KEY = {
  serviceAccountId: 'Service account that the key belongs to, starting with `svc_`.',
  name: 'What the key is for.',
  role: 'The most that the key may do. A key never has more rights than its maker.',
  scopes:
    'What the key may do of what its role may; null: all of it. docs/scopes.md lists the operations of each scope.',
  description: 'The use of the key; null: none is given.',
  createdBy: 'Account or service account that made the key.',
  allowedAddresses: 'Networks from which the key may come; null: from anywhere.',
  rotatedBy: 'Account or service account that made the present secret; null while that is the first one.',
  rotatedAt: 'When the present secret was made; null while that is the first one.',
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
    name: 'What the person calls it.',
    lastUsedAt: 'When it was last shown; null: never.',
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
    roleName: 'What people call that role; null where it was deleted since.',
    status: '`expired` once `expiresAt` has passed; sending it again makes it `pending` again.',
    inviterId: 'Account or service account that invited; null for the command line of the server.',
    expiresAt: 'From then on the link no longer works.',
    acceptedAt: 'When the person joined; null until then.',
    revokedAt: 'When an administrator revoked it; null while it is not revoked.',
    delivery: 'State of the last mail of this invitation.',
  },
  CreateInvitationBody: { role: GIVEN_ROLE, expiresInDays: EXPIRES_IN, language: MAIL_LANGUAGE },
  CreateInvitationsBody: {
    invitations: 'Each succeeds or fails by itself.',
    expiresInDays: EXPIRES_IN,
    language: MAIL_LANGUAGE,
  },
  CreateInvitationsBodyInvitation: {
    email: 'Checked row by row: a bad address fails its own row only.',
    role: `${GIVEN_ROLE} \`member\` where it is left out.`,
  },
  CreatedInvitation: { results: 'One result for each invitation of the request, in the same order.' },
  CreatedInvitationResult: {
    email: 'The address as it was sent.',
    invitation: 'Present where the invitation was made.',
    error: 'Present where it was not.',
  },
  PreviewInvitationAnswer: {
    email: 'The address that was invited; the sign-up takes no other.',
    organizations: 'Every organization that accepting would lead into.',
    expiresAt: 'From then on the link no longer works.',
  },
  PreviewInvitationAnswerOrganization: {
    name: 'Name of the organization.',
    role: 'Role that the person gets there: `administrator`, `member`, or an id.',
    roleName: 'What people call that role.',
  },
  SessionUser: {
    ...PERSON,
    language: 'What the person has chosen for mails; null: that of the organization.',
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
      'From when on the person gets no JWT of the organization without a second factor; null: none is required, or there is one.',
  },
  SessionContent: {
    organizationId:
      'The one organization that it opens, where its identity provider began it; null: all of the account.',
    identityProviderId:
      'The identity provider of an organization that began it; null: it is the own sign-in of the person.',
    expiresAt: 'When the session ends at the latest; unused, it ends earlier.',
  },
  OwnGrant: {
    accountId: 'The person who granted it.',
    organizationId: 'The one organization that it is for.',
    clientId: 'The application: an id that starts with `ocl_`, or the URL of its document.',
    clientName: 'What the application calls itself.',
    clientHost:
      'Where the application had the person sent back to; the IP address of a device that asked by a code.',
    resource: 'The part of this server that its tokens are for.',
    scopes: 'What it may do, as far as the person still may.',
    identityScopes: 'What it may learn of the person.',
    endsWithSession: 'Whether it ends when the person signs out.',
    lastUsedAt: 'When tokens were last made of it; null: never.',
    expiresAt: 'When it ends by itself.',
  },
  Authorization: {
    client: 'The application that asks.',
    resource: 'The part of this server that its tokens would be for.',
    identity: 'What it asks to learn of the person.',
    scopes: 'What it asks to do.',
    organizations: 'Those for which the person can grant it.',
  },
  AuthorizationClient: { name: 'What the application calls itself.' },
  AuthorizationScope: { name: 'A permission of docs/scopes.md.', about: 'The same for people.' },
  DecideAuthorizationBody: {
    allow: 'Whether the person grants it.',
    scopes: 'Those that are granted; all that were asked for where it is left out.',
  },
  DeviceRequest: {
    client: 'The application that asks.',
    device: 'Where it asks from, by which a person knows an own device.',
    resource: 'The part of this server that its tokens would be for.',
    identity: 'What it asks to learn of the person.',
    scopes: 'What it asks to do.',
    organizations: 'Those for which the person can grant it.',
  },
  DeviceRequestClient: {
    name: 'What the application calls itself.',
    isRegistered: 'Whether the operator registered it, or it is of Postern; else its name is its own word.',
  },
  DeviceRequestDevice: {
    address: 'IP address from which it asked.',
    program: '`User-Agent` of its request, cut at 200 characters.',
    isSameNetwork: 'Whether this request comes from the same network.',
    ageSeconds: 'How many seconds ago it asked.',
  },
  ReadDeviceRequestBody: {
    userCode: 'The code that the device shows, with or without what separates its letters.',
  },
  DecideDeviceRequestBody: {
    userCode: 'The code that the device shows.',
    allow: 'Whether the person grants it.',
    scopes: 'Those that are granted; all that were asked for where it is left out.',
  },
  DecideAuthorizationAnswer: { redirectTo: 'The next URL for the browser.' },
  Session: { user: 'The account that is signed in.', session: 'The session of this browser.' },
  SessionItem: {
    current: 'Whether it is the session of the request.',
    ip: 'IP address of its last use.',
    userAgent: '`User-Agent` of its browser, cut at 256 characters.',
    lastSeenAt: 'When it was last used, at most an hour out of date.',
    expiresAt: 'When it ends at the latest; unused, it ends earlier.',
  },
  SignUpWithEmailAnswer: {
    user: 'The account, which is `active` where the address is proved.',
    session: 'Null where the address must be confirmed first: a mail with a link is on its way.',
    emailVerificationRequired: 'Whether the person must open the link of a mail before signing in.',
  },
  SignUpWithEmailBody: { ...NEW_NAMES, invitationToken: INVITATION_TOKEN },
  VerifyEmailBody: { token: 'The secret of the confirmation link, which follows `?token=`. It works once.' },
  SignInWithEmailBody: { password: 'The password of the account.' },
  SignInWithProviderAnswer: { authUrl: 'Where the browser must go to sign in at the provider.' },
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
    passkey: 'What the browser answered to the options, as `toJSON()` writes it.',
  },
  StartTotpBody: { name: 'What the person calls the app; `Authenticator app` where it is left out.' },
  StartTotpAnswer: {
    secret: 'In base32, for apps into which it is typed. Shown in this answer alone.',
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
    recoveryCodes: 'Shown in this answer alone; null where the account had a factor before.',
  },
  ReplaceRecoveryCodesAnswer: { recoveryCodes: 'Shown in this answer alone.' },
  VerifySecondFactorAnswer: { shownUntil: 'Until when the session need not show another.' },
  SignInWithMagicLinkAnswer: {
    user: 'The account that is signed in.',
    session: 'The new session; its cookie is in the answer.',
    callbackURL: 'The URL that the requesting page has named for the browser; null without one.',
  },
  SignInWithMagicLinkBody: {
    token: 'The secret of the sign-in link, which follows `?token=`. It works once.',
    code: 'The short code of the mail, for another browser than the one that asked.',
  },
  CreatedToken: {
    token: 'The JWT, for `Authorization: Bearer`.',
    expiresAt: '60 minutes after it was made.',
  },
  DeleteMemberApiKeysAnswer: { deletedApiKeys: 'How many keys were deleted.' },
  EmailChange: { change: 'The change that waits for a mailbox; null where none does.' },
  EmailChangeContent: {
    newEmail: 'The address that the account is to get.',
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
  SignOutAnswer: { success: 'Always true: without a session there is nothing to end.' },
  ChangeAccountBody: { ...NEW_NAMES, language: 'Of mails to the account; null: that of the organization.' },
  ChangePasswordBody: {
    currentPassword: 'The present password, so that an open browser alone cannot change it.',
  },
  OrganizationSignIn: SIGN_IN,
  RenameOrganizationBodySignIn: SIGN_IN,
  Organization: {
    signIn: 'Whether its members sign in by its identity provider.',
    name: 'Name of the organization.',
    externalId: 'What the platform that made it calls it; null where it has no such id.',
    plan: 'Name of its plan; `GET /v1/billing/plans` describes each.',
    secondFactorRequiredFrom:
      'From then on members without a second factor get no JWT for it; null: it requires none.',
    secondFactorGraceMs:
      'How long a member has to add one after that moment, or after joining, whichever is later.',
    language: 'Of its mails, and of pages about it; null: that of the installation.',
  },
  RenameOrganizationBody: {
    signIn: 'Whether its members sign in by its identity provider. It takes `sign_in:write`, too.',
    name: 'The new name, unique among the organizations of the server.',
    secondFactorRequiredFrom: 'From when on members need a second factor; null requires none.',
    secondFactorGraceMs:
      'How long a member has to add one after that moment, or after joining, whichever is later; 0 at first.',
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
      'When it was last used after it was replaced, at most a minute earlier than the last use; null: not since.',
  },
  UpdateApiKeyBody: {
    expiresInDays: 'Days from now after which the key is refused; null: it does not expire.',
  },
  CreatedApiKey: {
    ...KEY,
    key: 'The secret of the key, for `Authorization: Bearer`. It is shown this once.',
  },
  CreateApiKeyBody: {
    name: KEY.name,
    description: KEY.description,
    role: 'The most that the key may do. Without it: member, or administrator where a scope needs that.',
    scopes:
      'Narrows the key to these; without them it may do all that its role may. A key that is narrowed gives no scope that it lacks.',
    expiresInDays: 'Days after which the key is refused; it does not expire where this is left out.',
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
    keys: 'Public keys as JSON Web Keys (RFC 7517): the present one and those still in use.',
  },
  AuditEntry: {
    action: 'The action, such as `webhook.created`.',
    organizationId: 'Organization of the action, starting with `org_`; null for actions on an account alone.',
    accountId: 'Account that it concerns, starting with `acc_`; null where it concerns none.',
    actorId: 'Account or service account that did it; null for the server itself or its command line.',
    keyId: 'API key of the service account, starting with `key_`; null where a person or the server acted.',
    targetId: 'Id of what was changed; null where that has none.',
    details: 'Facts of this action; never a secret.',
    ip: 'IP address that the request came from.',
    userAgent: '`User-Agent` of the client, cut at 256 characters.',
    requestId: 'The `X-Request-Id` of the request.',
  },
}
