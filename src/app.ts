import type { Logger } from 'pino'
import { createAccess } from './access/create-access.ts'
import { createAgents } from './agents/create-agents.ts'
import { createMcpServers } from './agents/mcp/create-mcp-servers.ts'
import { wakeRuns } from './agents/steps/file-wait.ts'
import { auditRoutes } from './audit/audit-log.ts'
import { createAuditStreams } from './audit-streams/create-audit-streams.ts'
import { createBackups } from './backups/create-backups.ts'
import { createBilling } from './billing/create-billing.ts'
import { checkPlansInUse } from './billing/plans/plans-in-use.ts'
import { createBlobs } from './blobs/create-blobs.ts'
import type { Siblings } from './cluster/siblings.ts'
import type { Config } from './config/config.ts'
import { createConnections } from './connections/create-connections.ts'
import { endConnectionsMadeBy } from './connections/end-connections.ts'
import { consoleRoutes } from './console/console.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { createDevClock } from './core/dev-clock.ts'
import type { Vault } from './core/secret.ts'
import { VERSION } from './core/version.ts'
import { type Database, explainStoreError } from './db/database.ts'
import { createDelivery } from './delivery/create-delivery.ts'
import { createFiles } from './files/create-files.ts'
import { createReadFileText, findFile } from './files/file-text.ts'
import { createReadFilePage } from './files/read/file-page.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { openapiRoutes } from './http/openapi/openapi.ts'
import { scopeRoutes } from './http/scope-routes.ts'
import { addressOf, createServer, type Server } from './http/server.ts'
import { createJobs } from './jobs/create-jobs.ts'
import { createLease } from './jobs/lease/lease.ts'
import { createLeaseStore } from './jobs/lease/lease-store.ts'
import { createKnowledge } from './knowledge/create-knowledge.ts'
import { ownedBases } from './knowledge/owned-bases.ts'
import { createLive } from './live/create-live.ts'
import { createReaders } from './live/readers.ts'
import { createMcp } from './mcp/create-mcp.ts'
import type { Resolve } from './net/destination.ts'
import { createResolver } from './net/resolver.ts'
import { createTextResolver, type LookUpTexts } from './net/text-resolver.ts'
import { createOperations, warnOf } from './operations/create-operations.ts'
import { PROBLEM_SOURCES } from './operations/problem-sources.ts'
import { endInTurn, endServer, LONGEST_WORK } from './operations/shutdown.ts'
import { createOperator } from './operator/create-operator.ts'
import { pageRoutes, rootOf } from './pages/pages.ts'
import { referenceRoutes, sendErrorPage } from './pages/reference/reference.ts'
import { sendUnknownPage } from './pages/unknown-address.ts'
import { createProblems } from './problems/create-problems.ts'
import { createShared, type Shared } from './shared/shared.ts'
import { followClock } from './store/clock-ahead.ts'
import { isFirstStartLink, takeFirstStartLink } from './store/first-start-link.ts'
import { openStore, proveKey } from './store/open-store.ts'
import { createLog } from './telemetry/create-log.ts'
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import { disableGone } from './webhooks/endpoints/disable-gone.ts'

/** Postern, started. */
export interface App {
  server: Server
  database: Database
  vault: Vault
  /** Where it listens. */
  address: string
  /**
   * Ends intake, lets what is under way end, closes everything. It always resolves, with the names of the parts that
   * could not be ended as they should be.
   */
  stop(): Promise<string[]>
}

interface AppOptions {
  config: Config
  clock: Clock
  log?: Logger
  /** Where the log was made with it; else it is made by the settings. */
  telemetry?: Telemetry | undefined
  /** The workers on the same port; undefined: this process serves alone. */
  siblings?: Siblings | undefined
  /** Adds to the server before its routes; for tests that look at every answer. */
  extend?: (server: Server) => void
  /** Called when the store cannot be written any more: the process must end, as if it had been killed. */
  onBroken?: (error: Error) => void
  /** Resolves the host names of outgoing calls; the machine's name servers unless a test knows names of its own. */
  resolve?: Resolve
  /** Looks up the texts by which organizations prove domains; likewise. */
  lookUpTexts?: LookUpTexts
  /** What the hash of a password costs: that of production, unless a test needs many and measures none. */
  hashCost?: Shared['hashCost']
}

/**
 * The composition root: configuration → database → slices → server and workers.
 * @throws Error in plain words when it cannot start
 */
export async function startApp({
  config,
  clock: given,
  telemetry = config.telemetry && createTelemetry(config.telemetry, systemClock),
  siblings,
  log = createLog(config.operations.logLevel, telemetry),
  extend,
  onBroken = (error) => log.fatal({ err: error }, 'the store is broken'),
  resolve = createResolver({ clock: given }),
  lookUpTexts = createTextResolver({ clock: given }),
  hashCost,
}: AppOptions): Promise<App> {
  const devClock = config.devClock ? createDevClock(given) : undefined
  const clock = devClock ?? given
  const { database, vault } = await openStore({ config: config.store, clock, log, onBroken, serves: true })
  try {
    await database.claimServer()
    // Since it was opened, and before this claim, the key may have been changed.
    await proveKey(database, config.store, vault)
    await checkPlansInUse(database.db, config.plans.book)
    // What all workers would say is said once.
    if (siblings?.begins ?? true) warnOf({ config, log })
    const unfollow = await followClock(database, devClock, log)
    return await compose(
      unfollow,
      createShared({
        config,
        clock,
        log,
        database,
        vault,
        resolve,
        lookUpTexts,
        hashCost,
        telemetry,
        siblings,
      }),
      extend,
    )
  } catch (error) {
    await database.close()
    await telemetry?.stop()
    throw explainStoreError(error, config.store)
  }
}

async function compose(unfollow: () => void, shared: Shared, extend: AppOptions['extend']): Promise<App> {
  const { config, log, database, vault } = shared
  const { clock } = shared
  const store = createLeaseStore(database.background)
  const lease = createLease({ clock, log, store, shared: database.shared })
  const jobs = createJobs(shared, lease)
  const delivery = createDelivery(shared, lease, disableGone)
  const access = createAccess(shared, {
    ...{ ...delivery, jobs, endMade: (tx, trail, made) => endConnectionsMadeBy(tx, jobs.add, trail, made) },
    firstStartLink: { isLive: isFirstStartLink, take: takeFirstStartLink },
    mcpScopes: () => mcp.scopes(),
  })
  const readers = createReaders({ ...shared, rightsCheck: access.rightsCheck })
  const webhooks = createWebhooks(shared, delivery)
  const billing = createBilling(shared, access)
  const connections = createConnections(shared, {
    ...{ publish: delivery.publish, charge: billing.charges, jobs },
  })
  const blobs = createBlobs(shared)
  const { publish } = delivery
  const knowledge = createKnowledge(shared, {
    ...{ publish, charge: billing.charges, jobs },
    ...{ findFile, readFile: createReadFileText({ database, blobs }) },
    readFilePage: createReadFilePage({ database, blobs, log }),
  })
  const { onEnded, onDeleted } = knowledge
  const files = createFiles(shared, {
    ...{ publish, charge: billing.charges, jobs, blobs },
    // Work that waits for a file begins in the transaction that ends its processing or deletes it.
    async onEnded(tx, file, now) {
      await onEnded(tx, file, now)
      await wakeRuns(tx, { jobs }, file.organization_id, file.id, now)
    },
    async onDeleted(tx, organizationId, fileId, now) {
      await onDeleted(tx, organizationId, fileId, now)
      await wakeRuns(tx, { jobs }, organizationId, fileId, now)
    },
  })
  const { tokens } = connections
  const mcpServers = createMcpServers(shared, { publish, tokens })
  const agents = createAgents(shared, {
    ...{ publish, publishAll: delivery.publishAll, charge: billing.charges, jobs },
    ...{ servers: mcpServers.tools, readers },
    knowledge: { owned: ownedBases, find: knowledge.search },
    files: { find: findFile, read: files.readText },
  })
  const live = createLive(shared, {
    readers,
    views: [access, webhooks, files, knowledge, agents].flatMap(({ views }) => views),
  })
  const { dispatch, forgetWebhook } = delivery
  const { forgetCallers, inviting } = access
  const { cancelRuns } = agents
  const operator = createOperator(shared, {
    ...{ jobs, dispatch, forgetWebhook },
    ...{ forgetCallers, inviting, cancelRuns },
  })
  const auditStreams = createAuditStreams(shared, { jobs })
  const backups = createBackups(shared, { jobs })
  const problems = createProblems(shared, PROBLEM_SOURCES)
  const operations = createOperations(shared, {
    problems: problems.count,
    lag: delivery.lag,
    jobs,
    workers: delivery.workers,
    sendingBusy: delivery.sendingBusy,
    loads: () => new Map([['delivery', delivery.load()], ...jobs.loads()]),
    auditStreams: auditStreams.states,
    backups: backups.state,
    chores: [
      ...[connections.expire, operator.chore, delivery.foldCounts],
      ...[auditStreams.chore, webhooks.chore, backups.chore],
    ],
  })

  const root = rootOf(config.web.baseUrl)
  const consolePath = config.web.console ? `${root}/console` : undefined
  const site = {
    root,
    product: config.web.product,
    consolePath,
    baseUrl: config.web.baseUrl,
    language: config.web.language,
  }
  const isServing = config.role !== 'worker'
  const server = createServer({
    ...shared,
    ...config.web,
    spans: shared.telemetry?.spans,
    trustProxy: config.http.trustProxy,
    plans: config.plans.book,
    authenticate: access.authenticate,
    mustHaveSteppedUp: access.mustHaveSteppedUp,
    isStopping: operations.isStopping,
    onFinished: operations.onFinished,
    onScimAnswered: access.onScimAnswered,
    standby: shared.database.standby,
    unknownPage: isServing ? (...asked) => sendUnknownPage(site, ...asked) : undefined,
  })
  extend?.(server)
  const mcp = createMcp(server, shared)
  const readDocument = isServing
    ? openapiRoutes(server, { baseUrl: config.web.baseUrl, version: VERSION, ...webhooks.document })
    : undefined
  server.after(() => {
    // Processes that only send answer their supervisor too.
    operations.routes(server)
    if (readDocument === undefined) return
    scopeRoutes(server)
    catalogueRoutes(server, config.web.baseUrl, (...asked) => sendErrorPage(site, ...asked))
    access.routes(server)
    auditRoutes(server, shared)
    auditStreams.routes(server)
    webhooks.routes(server)
    problems.routes(server)
    billing.routes(server)
    connections.routes(server)
    knowledge.routes(server)
    mcp.routes(server)
    mcpServers.routes(server)
    files.routes(server)
    agents.routes(server)
    operator.routes(server)
    consoleRoutes(server, shared)
    live.routes(server)
    referenceRoutes(server, site, readDocument)
    pageRoutes(server, { config, findOrder: billing.findCheckout })
  })

  async function start(): Promise<void> {
    await live.start()
    lease.onDied(live.missed)
    await connections.start()
    await server.listen({ host: config.http.host, port: config.http.port, ...shared.siblings?.listening })
    await database.notifier.listen({
      ...access.handlers,
      ...delivery.handlers,
      ...jobs.handlers,
      ...agents.handlers,
      ...live.handlers,
    })
    if (config.role !== 'api') await lease.start()
    await delivery.start()
    await jobs.start()
    await backups.start()
    agents.start()
    access.start()
    billing.start()
    knowledge.start()
    blobs.start()
    operations.start()
  }

  /** Runs give themselves back, which the engine waits for. */
  function endJobs(): Promise<void> {
    agents.drain()
    return jobs.stop()
  }

  async function stop(): Promise<string[]> {
    await operations.drain(isServing && server.server.listening)
    const workers = [
      { name: 'deliveries', end: delivery.stop, patience: LONGEST_WORK },
      { name: 'jobs', end: endJobs, patience: LONGEST_WORK },
      { name: 'runs', end: agents.stop },
      { name: 'mails', end: access.stop, patience: LONGEST_WORK },
      { name: 'blobs', end: blobs.stop },
      { name: 'billing', end: billing.stop, patience: LONGEST_WORK },
      { name: 'removals', end: knowledge.stop, patience: LONGEST_WORK },
      { name: 'housekeeping', end: operations.stop },
    ]
    return endInTurn(
      [
        [
          { name: 'fan-out', end: delivery.stopFanOut },
          { name: 'lease', end: lease.retire },
          { name: 'streams', end: readers.drain },
        ],
        workers,
        [{ name: 'lease', end: lease.stop }],
        [{ name: 'requests', end: () => endServer(server, shared.clock), patience: LONGEST_WORK }],
        [
          ...[delivery, access, billing, connections, agents, mcpServers, files, knowledge, blobs],
          auditStreams,
        ].map(({ close }) => ({ name: 'calls', end: close })),
        [{ name: 'changes', end: live.stop }],
        [{ name: 'clock', end: unfollow }],
        [{ name: 'database', end: () => database.close() }],
        [{ name: 'telemetry', end: () => shared.telemetry?.stop() }],
      ],
      log,
    )
  }

  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return { server, database, vault, address: addressOf(server), stop }
}
