/**
 * Where each operation of the API is a method of the client: the one place that a person writes. A new operation gets one
 * line, beside others of its resource; `npm run docs` then writes the types and the routes. A name without a dot is a method of
 * the client itself.
 */
export const METHODS: Record<string, string> = {
  // actors
  listActors: 'actors.list',

  // agents
  createAgent: 'agents.create',
  deleteAgent: 'agents.delete',
  listAgentRuns: 'agents.runs',
  listAgents: 'agents.list',
  listAgentVersions: 'agents.versions',
  readAgent: 'agents.read',
  readAgentVersion: 'agents.readVersion',
  startRun: 'agents.run',
  updateAgent: 'agents.update',

  // apiKeys
  createApiKey: 'apiKeys.create',
  deleteApiKey: 'apiKeys.delete',
  listApiKeys: 'apiKeys.list',
  readApiKey: 'apiKeys.read',
  listScopes: 'apiKeys.scopes',
  rotateApiKey: 'apiKeys.rotate',
  updateApiKey: 'apiKeys.update',

  // auditLog
  listAuditEntries: 'auditLog.list',

  // account
  changeAccount: 'account.update',
  changePassword: 'account.changePassword',
  requestEmailChange: 'account.changeEmail',
  readEmailChange: 'account.emailChange',
  cancelEmailChange: 'account.cancelEmailChange',
  confirmEmailChange: 'account.confirmEmailChange',
  refuseEmailChange: 'account.refuseEmailChange',

  // factors
  addPasskey: 'factors.addPasskey',
  deleteFactor: 'factors.delete',
  listFactors: 'factors.list',
  renameFactor: 'factors.rename',
  replaceRecoveryCodes: 'factors.replaceRecoveryCodes',
  startPasskey: 'factors.startPasskey',
  startTotp: 'factors.startTotp',
  verifyTotp: 'factors.verifyTotp',

  // auth: what people sign in with, in a browser and its cookies
  createToken: 'auth.token',
  finishSignInWithProvider: 'auth.finishWithProvider',
  listOwnGrants: 'auth.grants',
  endOwnGrant: 'auth.endGrant',
  readAuthorization: 'auth.authorization',
  decideAuthorization: 'auth.decideAuthorization',
  readDeviceRequest: 'auth.device',
  decideDeviceRequest: 'auth.decideDevice',
  listSigningKeys: 'auth.signingKeys',
  listWellKnownSigningKeys: 'auth.wellKnownSigningKeys',
  openMagicLink: 'auth.openMagicLink',
  readPendingSignIn: 'auth.pendingSignIn',
  requestMagicLink: 'auth.requestMagicLink',
  requestPasswordReset: 'auth.requestPasswordReset',
  resetPassword: 'auth.resetPassword',
  signInWithEmail: 'auth.signIn',
  signInWithMagicLink: 'auth.signInWithMagicLink',
  signInWithProvider: 'auth.signInWithProvider',
  signInWithOrganization: 'auth.signInWithOrganization',
  signInWithPasskey: 'auth.signInWithPasskey',
  startPasskeyFactor: 'auth.startPasskeyFactor',
  startPasskeySignIn: 'auth.startPasskeySignIn',
  startPasskeyStepUp: 'auth.startPasskeyStepUp',
  signInWithSecondFactor: 'auth.signInWithSecondFactor',
  signOut: 'auth.signOut',
  signOutForApplication: 'auth.signOutForApplication',
  signUpWithEmail: 'auth.signUp',
  verifySecondFactor: 'auth.stepUp',
  createFirstAdministrator: 'auth.firstStart',
  verifyEmail: 'auth.verifyEmail',

  // billing
  createCheckout: 'billing.checkout',
  listLedgerDays: 'billing.ledgerDays',
  listLedgerEntries: 'billing.ledger',
  listPlans: 'billing.plans',
  readBalance: 'billing.balance',
  readCheckout: 'billing.readCheckout',
  receiveStripeEvent: 'billing.receiveStripeEvent',

  // captures
  closeCaptureWindow: 'captures.stop',
  deliverCapture: 'captures.deliver',
  listCaptures: 'captures.list',
  openCaptureWindow: 'captures.start',

  // connections
  authorizeConnection: 'connections.authorize',
  deleteConnection: 'connections.delete',
  fetchThroughConnection: 'connections.fetch',
  finishConnection: 'connections.finish',
  listConnectionProviders: 'connections.providers',
  listConnections: 'connections.list',
  readConnection: 'connections.read',
  refreshConnection: 'connections.refresh',

  // conversations
  createConversation: 'conversations.create',
  deleteConversation: 'conversations.delete',
  listConversations: 'conversations.list',
  listMessages: 'conversations.messages',
  readConversation: 'conversations.read',

  // deliveries
  readDeliveryStats: 'deliveries.stats',
  listDeliveries: 'deliveries.list',
  retryDeliveries: 'deliveries.retryAll',
  readDelivery: 'deliveries.read',
  retryDelivery: 'deliveries.retry',

  // documents
  listDocumentChunks: 'documents.chunks',
  deleteDocument: 'documents.delete',
  indexDocument: 'documents.index',
  readDocument: 'documents.read',
  replaceDocument: 'documents.replace',
  readDocumentText: 'documents.text',

  // errors
  listErrors: 'errors.list',
  readError: 'errors.read',

  // events
  listEvents: 'events.list',
  publishEvent: 'events.publish',
  publishEvents: 'events.publishBatch',
  readEvent: 'events.read',

  // eventTypes
  createEventType: 'eventTypes.create',
  deleteEventType: 'eventTypes.delete',
  listEventTypes: 'eventTypes.list',
  readEventType: 'eventTypes.read',
  updateEventType: 'eventTypes.update',

  // files
  deleteFile: 'files.delete',
  fetchFile: 'files.fetch',
  listFiles: 'files.list',
  processFile: 'files.process',
  readFile: 'files.read',
  readFileContent: 'files.content',
  readFileText: 'files.text',
  uploadFile: 'files.upload',

  // health
  checkLiveness: 'health.live',
  checkReadiness: 'health.ready',
  readMetrics: 'health.metrics',

  // invitations
  createInvitation: 'invitations.create',
  createInvitations: 'invitations.createBulk',
  listInvitations: 'invitations.list',
  previewInvitation: 'invitations.preview',
  readInvitation: 'invitations.read',
  resendInvitation: 'invitations.resend',
  revokeInvitation: 'invitations.revoke',

  // knowledgeBases
  addDocument: 'knowledgeBases.addDocument',
  createKnowledgeBase: 'knowledgeBases.create',
  deleteKnowledgeBase: 'knowledgeBases.delete',
  listDocuments: 'knowledgeBases.documents',
  listKnowledgeBases: 'knowledgeBases.list',
  readKnowledgeBase: 'knowledgeBases.read',
  searchKnowledgeBase: 'knowledgeBases.search',
  updateKnowledgeBase: 'knowledgeBases.update',

  // mails
  listMails: 'mails.list',

  // mcp
  callMcp: 'mcp.call',

  // mcpServers
  acceptMcpServer: 'mcpServers.accept',
  createMcpServer: 'mcpServers.create',
  deleteMcpServer: 'mcpServers.delete',
  listMcpServers: 'mcpServers.list',
  readMcpServer: 'mcpServers.read',
  refreshMcpServer: 'mcpServers.refresh',
  updateMcpServer: 'mcpServers.update',

  // members
  deleteMemberApiKeys: 'members.deleteApiKeys',
  endMemberSessions: 'members.endSessions',
  removeMemberFactors: 'members.removeFactors',
  changeMemberRole: 'members.changeRole',
  leaveOrganization: 'members.leave',
  listMembers: 'members.list',
  removeMember: 'members.remove',

  // models
  listModels: 'models.list',

  // operator: who runs the server, by OPERATOR_TOKEN
  changeOrganization: 'operator.changeOrganization',
  createOrganization: 'operator.createOrganization',
  createOrganizationInvitation: 'operator.invite',
  deleteOrganization: 'operator.deleteOrganization',
  grantCredits: 'operator.grantCredits',
  listAllOrganizations: 'operator.organizations',
  listFindings: 'operator.findings',
  listAllAuditEntries: 'operator.auditLog',
  readInstallation: 'operator.installation',

  // organizations
  listOrganizations: 'organizations.list',
  renameOrganization: 'organizations.rename',

  // accounts: of the installation, by OPERATOR_TOKEN
  listAccounts: 'accounts.list',
  readAccount: 'accounts.read',
  changeAccountStatus: 'accounts.change',
  importAccounts: 'accounts.import',
  deleteAccount: 'accounts.delete',
  endAccountSessions: 'accounts.endSessions',
  removeAccountFactors: 'accounts.removeFactors',
  startAccountEmailChange: 'accounts.changeEmail',

  // auditStreams: where the whole audit log goes, by OPERATOR_TOKEN
  createAuditStream: 'auditStreams.create',
  deleteAuditStream: 'auditStreams.delete',
  listAuditStreams: 'auditStreams.list',
  rotateAuditStreamSecret: 'auditStreams.rotateSecret',
  testAuditStream: 'auditStreams.test',
  updateAuditStream: 'auditStreams.update',

  // platformKeys: keys of the installation, by OPERATOR_TOKEN
  createOauthClient: 'oauthClients.create',
  deleteOauthClient: 'oauthClients.delete',
  listOauthClients: 'oauthClients.list',
  createPlatformKey: 'platformKeys.create',
  deletePlatformKey: 'platformKeys.delete',
  listPlatformKeys: 'platformKeys.list',
  rotatePlatformKey: 'platformKeys.rotate',
  updatePlatformKey: 'platformKeys.update',

  // problems
  listProblems: 'problems.list',

  // replays
  cancelReplay: 'replays.cancel',
  createOrganizationReplay: 'replays.create',
  listReplays: 'replays.list',
  readReplay: 'replays.read',

  // runs
  cancelRun: 'runs.cancel',
  resumeRun: 'runs.resume',
  decideApproval: 'runs.decide',
  decideApprovals: 'runs.decideAll',
  listRuns: 'runs.list',
  listSteps: 'runs.steps',
  readRun: 'runs.read',
  streamRun: 'runs.stream',

  // serviceAccounts
  createRole: 'roles.create',
  listRoles: 'roles.list',
  readRole: 'roles.read',
  updateRole: 'roles.update',
  deleteRole: 'roles.delete',
  createDomain: 'domains.create',
  listDomains: 'domains.list',
  readDomain: 'domains.read',
  verifyDomain: 'domains.verify',
  deleteDomain: 'domains.delete',
  readProvisioning: 'provisioning.read',
  changeProvisioning: 'provisioning.change',
  listProvisionedUsers: 'provisioning.listUsers',
  listProvisionedGroups: 'provisioning.listGroups',
  readProvisionedGroup: 'provisioning.readGroup',
  changeProvisionedGroup: 'provisioning.changeGroup',
  listProvisioningExchanges: 'provisioning.listExchanges',
  createIdentityProvider: 'identityProviders.create',
  listIdentityProviders: 'identityProviders.list',
  readIdentityProvider: 'identityProviders.read',
  updateIdentityProvider: 'identityProviders.update',
  deleteIdentityProvider: 'identityProviders.delete',
  testIdentityProvider: 'identityProviders.test',
  rotateIdentityProviderKeys: 'identityProviders.rotateKeys',
  createSetupLink: 'setupLinks.create',
  listSetupLinks: 'setupLinks.list',
  readSetupLink: 'setupLinks.read',
  revokeSetupLink: 'setupLinks.revoke',
  openSetup: 'setup.open',
  readSetup: 'setup.read',
  checkSetupDomain: 'setup.checkDomain',
  changeSetupProvider: 'setup.changeProvider',
  testSetupProvider: 'setup.testProvider',
  createSetupDirectoryKey: 'setup.createDirectoryKey',
  finishSetup: 'setup.finish',
  createServiceAccount: 'serviceAccounts.create',
  deleteServiceAccount: 'serviceAccounts.delete',
  listServiceAccounts: 'serviceAccounts.list',
  readServiceAccount: 'serviceAccounts.read',
  updateServiceAccount: 'serviceAccounts.update',

  // grants
  endGrant: 'grants.end',
  listGrants: 'grants.list',

  // sessions
  endOtherSessions: 'sessions.endOthers',
  endSession: 'sessions.end',
  listSessions: 'sessions.list',
  readSession: 'sessions.current',

  // listeners
  fetchDeliveries: 'listeners.fetch',
  openListener: 'listeners.open',
  reportDeliveries: 'listeners.report',

  // the client itself
  streamOrganization: 'stream',

  // webhooks
  callWebhook: 'webhooks.call',
  createReplay: 'webhooks.replay',
  createWebhook: 'webhooks.create',
  deleteWebhook: 'webhooks.delete',
  listWebhookDeliveries: 'webhooks.deliveries',
  listWebhooks: 'webhooks.list',
  readWebhook: 'webhooks.read',
  readWebhookStats: 'webhooks.stats',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  testWebhook: 'webhooks.test',
  updateWebhook: 'webhooks.update',
}
