import type { FastifyRequest } from 'fastify'
import { createSignal } from '../core/signal.ts'
import { type Handlers, idsOf } from '../db/notifier.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Authenticator, RightsCheck } from '../http/principal.ts'
import type { Server, ServerOptions } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { LiveView } from '../live/live-kinds.ts'
import { mailHandler, mailOptions } from '../mail/mail-job.ts'
import { createOutbox } from '../mail/outbox.ts'
import { createMailTransport } from '../mail/transport.ts'
import { addressRule } from '../net/address.ts'
import { createAgent } from '../net/agent.ts'
import type { Shared } from '../shared/shared.ts'
import { accountRoutes } from './accounts/account-routes.ts'
import { findHashKinds } from './accounts/hash-kinds.ts'
import { createAuthorization } from './authorization/create-authorization.ts'
import type { AuthorizationDeps } from './authorization/deps.ts'
import { createCredentialCache } from './credential-cache.ts'
import type { AccessDeps } from './deps.ts'
import { createDomainRoutes } from './domains/create-domain.ts'
import { DOMAIN_CHECKS_AT_ONCE, domainCheckHandler } from './domains/domain-job.ts'
import { domainView } from './domains/domain-wire.ts'
import { domainRoutes } from './domains/domains.ts'
import { verifyDomainRoutes } from './domains/verify-domain.ts'
import { proveEmailChangeRoutes } from './email-change/prove-email-change.ts'
import { requestEmailChangeRoutes } from './email-change/request-email-change.ts'
import { enrolPasskeyRoutes } from './factors/enrol-passkey.ts'
import { enrolTotpRoutes } from './factors/enrol-totp.ts'
import { factorRoutes } from './factors/factor-routes.ts'
import { mustHaveSteppedUp } from './factors/recent-proof.ts'
import { secondFactorRoutes } from './factors/second-factor.ts'
import { signInPasskeyRoutes } from './factors/sign-in-passkey.ts'
import { stepUpRoutes } from './factors/step-up.ts'
import { grantRoutes } from './grants/grants.ts'
import { ownGrantRoutes } from './grants/own-grants.ts'
import { backChannelRoutes } from './identity-providers/back-channel.ts'
import { changeProviderRoutes } from './identity-providers/change-provider.ts'
import { createProviderRoutes } from './identity-providers/create-provider.ts'
import { createLeaveProvider, signedOutRoutes } from './identity-providers/leave-provider.ts'
import { createOpenProviders, type OpenProviders } from './identity-providers/open-providers.ts'
import { createOwnKeys, type OwnKeys } from './identity-providers/own-keys.ts'
import { providerViewOf } from './identity-providers/provider-wire.ts'
import { providerRoutes } from './identity-providers/providers.ts'
import { rotateOwnKeyRoutes } from './identity-providers/rotate-own-keys.ts'
import { createRoundTrip } from './identity-providers/round-trip.ts'
import { createSamlLogout, type SamlLogout } from './identity-providers/saml-logout.ts'
import { samlLogoutRoutes } from './identity-providers/saml-logout-routes.ts'
import { samlRoutes } from './identity-providers/saml-routes.ts'
import { signInSsoRoutes } from './identity-providers/sign-in-sso.ts'
import { createSignOutReports, type SignOutReports } from './identity-providers/sign-out-reports.ts'
import { testProviderRoutes } from './identity-providers/test-provider.ts'
import { apiKeyView } from './keys/api-key-wire.ts'
import { apiKeyRoutes } from './keys/api-keys.ts'
import { changeApiKeyRoutes } from './keys/change-api-key.ts'
import { createApiKeyRoutes } from './keys/create-api-key.ts'
import { rotateApiKeyRoutes } from './keys/rotate-api-key.ts'
import { serviceAccountRoutes } from './keys/service-accounts.ts'
import { actorRoutes } from './members/actors.ts'
import { createInvitationRoutes } from './members/invitation-create.ts'
import { invitationView } from './members/invitation-wire.ts'
import { invitationRoutes } from './members/invitations.ts'
import type { InviteDeps } from './members/invite.ts'
import { mailRoutes } from './members/mails.ts'
import { memberEndingRoutes } from './members/member-endings.ts'
import { memberRoutes } from './members/members.ts'
import { organizationRoutes } from './members/organizations.ts'
import { createPasswords } from './passwords.ts'
import { createRoleRoutes } from './roles/create-role.ts'
import { deleteRoleRoutes } from './roles/delete-role.ts'
import { roleRoutes } from './roles/roles.ts'
import { updateRoleRoutes } from './roles/update-role.ts'
import { createSamlReader } from './saml/saml-reader.ts'
import { readExchange } from './scim/exchange.ts'
import { createExchangeRecorder } from './scim/exchange-recorder.ts'
import { createExchangeStore } from './scim/exchange-store.ts'
import { exchangeView } from './scim/exchange-wire.ts'
import { SCIM_ROLES_AT_ONCE, scimRolesHandler } from './scim/role-job.ts'
import { scimRoutes } from './scim/scim-routes.ts'
import { createAuthenticator } from './sessions/authenticate.ts'
import { createRightsCheck } from './sessions/rights-check.ts'
import { sessionRoutes } from './sessions/session-routes.ts'
import type { LeaveProvider } from './sessions/sign-out.ts'
import { tokenRoutes } from './sessions/token.ts'
import { createSetupLinkRoutes } from './setup-links/create-setup-link.ts'
import { openSetupRoutes } from './setup-links/open-setup.ts'
import { setupDirectoryRoutes } from './setup-links/setup-directory.ts'
import { setupDomainRoutes } from './setup-links/setup-domain.ts'
import { setupLinkView } from './setup-links/setup-link-wire.ts'
import { setupLinkRoutes } from './setup-links/setup-links.ts'
import { setupProviderRoutes } from './setup-links/setup-provider.ts'
import { createTestRecorder, testSetupRoutes } from './setup-links/test-setup.ts'
import { changePasswordRoutes } from './sign-in/change-password.ts'
import { confirmationRoutes } from './sign-in/confirmation.ts'
import { firstStartRoutes } from './sign-in/first-start.ts'
import { magicLinkRoutes } from './sign-in/magic-link.ts'
import { createMailWorker } from './sign-in/mail-worker.ts'
import { passwordResetRoutes } from './sign-in/password-reset.ts'
import { signInEmailRoutes } from './sign-in/sign-in-email.ts'
import { signUpRoutes } from './sign-in/sign-up.ts'
import { createSigningKeys } from './signing-keys.ts'
import { callbackRoute } from './social/callback.ts'
import { signInSocialRoutes } from './social/sign-in-social.ts'

/** Accounts, sessions, members and keys, and the mails that these send. */
interface Access {
  routes: (server: Server) => void
  /** Shows changed rows to readers of the live stream. */
  views: LiveView[]
  authenticate: Authenticator
  /** Refuses a person who has a second factor and has not shown it recently in this session. */
  mustHaveSteppedUp: (request: FastifyRequest) => Promise<void>
  /** Whether the rights with which a long answer began still hold. */
  rightsCheck: RightsCheck
  /** Records a request of a directory, after its answer. */
  onScimAnswered: ServerOptions['onScimAnswered']
  /** Clears the cache of credentials, here and in other processes. */
  forgetCallers: () => void
  /** The dependencies of invitations. */
  inviting: InviteDeps
  handlers: Handlers
  start: () => void
  stop: () => Promise<void>
  close: () => Promise<void>
}

/** Ties the slice together; nothing runs yet. */
export function createAccess(
  shared: Shared,
  {
    publish,
    endMade,
    firstStartLink,
    jobs,
    mcpScopes,
  }: Pick<Delivery, 'publish'> &
    Pick<AccessDeps, 'endMade' | 'firstStartLink'> &
    Pick<AuthorizationDeps, 'mcpScopes'> & { jobs: Jobs },
): Access {
  const { config, clock, log, database, vault, limiter, once, sendList, metrics, resolve, lookUpTexts } =
    shared
  const { notifier } = database
  const forgotten = createSignal(() => {})
  const credentials = createCredentialCache(
    (account) => notifier.notify('credentials', account),
    forgotten.wake,
  )
  const mailsDue = createSignal(() => notifier.notify('mails'))
  const outbox = createOutbox({
    ...{ vault, add: jobs.add },
    configured: config.mail.smtpUrl !== undefined,
    product: config.web.product.name,
    language: config.web.language,
  })
  const isAllowed = addressRule(config.access.allowedNetworks, 'SSO_ALLOWED_NETWORKS')
  const deps: AccessDeps = {
    config,
    clock,
    database,
    vault,
    limiter,
    once,
    sendList,
    outbox,
    mailsDue,
    publish,
    passwords: createPasswords(
      config.access.hashConcurrency,
      () => findHashKinds(database.db),
      shared.hashCost,
    ),
    keys: createSigningKeys({ database, vault, clock }),
    credentials,
    endMade,
    firstStartLink,
    lookUpTexts,
    jobs,
    // The operator configured these addresses: they are not checked.
    agent: createAgent({ isAllowed: () => true, resolve }),
    ...{ checkedAgent: createAgent({ isAllowed, resolve }), isAllowed, resolve },
    saml: createSamlReader(clock),
  }
  const mails = config.role === 'api' ? undefined : createMailWorker({ ...deps, log })
  const transport = createMailTransport(config.mail)
  if (transport !== undefined)
    jobs.register(
      mailHandler({ database, clock, outbox, transport }),
      mailOptions({ log, onOutcome: (outcome) => metrics.mails.inc({ outcome }) }),
    )
  jobs.register(domainCheckHandler(deps), { places: DOMAIN_CHECKS_AT_ONCE })
  jobs.register(scimRolesHandler(deps), { places: SCIM_ROLES_AT_ONCE })
  const authenticate = createAuthenticator(deps)
  const openProviders = createOpenProviders(deps)
  const ownKeys = createOwnKeys(deps)
  const samlLogout = createSamlLogout({ ...deps, ownKeys })
  const reports = createSignOutReports({ ...deps, turns: shared.turns })
  const leaveProvider = createLeaveProvider({ ...deps, openProviders, samlLogout })
  const exchanges = createExchangeRecorder({
    ...{ log, store: createExchangeStore(database.background) },
    onDropped: (count) => metrics.scimExchangesDropped.inc(count),
  })
  const authorization = createAuthorization({ ...deps, resolve, mcpScopes, log, leaveProvider })
  return {
    routes(server) {
      routes(server, { ...deps, openProviders, leaveProvider, samlLogout, ownKeys, reports })
      authorization.routes(server)
    },
    views: [
      invitationView,
      domainView,
      providerViewOf(config.web.baseUrl),
      setupLinkView,
      exchangeView,
      apiKeyView,
    ],
    authenticate,
    mustHaveSteppedUp: (request) => mustHaveSteppedUp(database.db, request),
    rightsCheck: createRightsCheck(authenticate, config.plans.book, forgotten),
    onScimAnswered(request, reply, durationMs) {
      const exchange = readExchange(request, reply, durationMs, clock.now())
      if (exchange !== undefined) exchanges.record(exchange)
    },
    forgetCallers: credentials.clear,
    inviting: { appUrl: config.web.appUrl, outbox, publish },
    handlers: {
      credentials: (accounts) => credentials.forget(accounts && idsOf('account', accounts)),
      ...(mails && { mails: mailsDue.wake }),
    },
    start() {
      mails?.start()
    },
    stop: async () => mails?.stop(),
    async close() {
      await transport?.close()
      await deps.agent.close()
      await deps.checkedAgent.close()
      await deps.saml.close()
      await authorization.close()
      await exchanges.stop()
    },
  }
}

function routes(
  server: Server,
  deps: AccessDeps & {
    openProviders: OpenProviders
    leaveProvider: LeaveProvider
    samlLogout: SamlLogout
    ownKeys: OwnKeys
    reports: SignOutReports
  },
): void {
  createInvitationRoutes(server, deps)
  invitationRoutes(server, deps)
  mailRoutes(server, deps)
  signUpRoutes(server, deps)
  firstStartRoutes(server, deps)
  confirmationRoutes(server, deps)
  signInEmailRoutes(server, deps)
  const roundTrip = createRoundTrip(deps)
  const recordTest = createTestRecorder(deps)
  callbackRoute(server, deps, [
    signInSocialRoutes(server, deps),
    signInSsoRoutes(server, { ...deps, roundTrip, recordTest }),
  ])
  samlRoutes(server, deps)
  samlLogoutRoutes(server, deps)
  magicLinkRoutes(server, deps)
  secondFactorRoutes(server, deps)
  factorRoutes(server, deps)
  enrolTotpRoutes(server, deps)
  enrolPasskeyRoutes(server, deps)
  signInPasskeyRoutes(server, deps)
  stepUpRoutes(server, deps)
  passwordResetRoutes(server, deps)
  tokenRoutes(server, deps)
  sessionRoutes(server, deps)
  accountRoutes(server, deps)
  changePasswordRoutes(server, deps)
  requestEmailChangeRoutes(server, deps)
  proveEmailChangeRoutes(server, deps)
  organizationRoutes(server, deps)
  memberRoutes(server, deps)
  memberEndingRoutes(server, deps)
  createRoleRoutes(server, deps)
  roleRoutes(server, deps)
  updateRoleRoutes(server, deps)
  deleteRoleRoutes(server, deps)
  createDomainRoutes(server, deps)
  domainRoutes(server, deps)
  verifyDomainRoutes(server, deps)
  scimRoutes(server, deps)
  createProviderRoutes(server, deps)
  providerRoutes(server, deps)
  changeProviderRoutes(server, deps)
  testProviderRoutes(server, deps)
  rotateOwnKeyRoutes(server, deps)
  backChannelRoutes(server, deps)
  signedOutRoutes(server, deps)
  createSetupLinkRoutes(server, deps)
  setupLinkRoutes(server, deps)
  openSetupRoutes(server, deps)
  setupDomainRoutes(server, deps)
  setupProviderRoutes(server, deps)
  setupDirectoryRoutes(server, deps)
  testSetupRoutes(server, { ...deps, roundTrip })
  actorRoutes(server, deps)
  serviceAccountRoutes(server, deps)
  createApiKeyRoutes(server, deps)
  apiKeyRoutes(server, deps)
  changeApiKeyRoutes(server, deps)
  rotateApiKeyRoutes(server, deps)
  ownGrantRoutes(server, deps)
  grantRoutes(server, deps)
}
