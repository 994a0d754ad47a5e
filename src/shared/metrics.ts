import {
  collectDefaultMetrics,
  type Histogram,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry as PromRegistry,
  type Registry,
} from '@prometheus-io/client'
import { type Millis, SECOND } from '../core/clock.ts'

/** The process's metrics (docs/operations.md explains each). */
export interface Metrics {
  /** Of this process. Where several serve on one port, each series has the label `worker`. */
  registry: Registry
  /** Of the store, which are the same in every process. */
  stored: Registry
  /** Whether each worker answered when the metrics were asked for; none where this process serves alone. */
  up: PromGauge<'worker'> | undefined
  /** Workers that were replaced since the start, by cause, as the first process counts them; likewise. */
  replaced: PromCounter<'cause'> | undefined
  requests: Histogram<'route' | 'method' | 'status'>
  /** Requests that ended with 500: 0 from the start, so that the first one is an increase. */
  errors: PromCounter
  attempts: Histogram<'outcome'>
  /** How long after it was due an attempt began. */
  lateness: Histogram
  mails: PromCounter<'outcome'>
  /** Committed events, by their source. */
  events: PromCounter<'source'>
  inFlight: PromGauge
  /** Of the thread that sends deliveries, in seconds. */
  sendingBusy: PromCounter
  /** Workers of all processes that share the deliveries, and how many others died while this process worked. */
  workers: PromGauge
  workerDeaths: PromCounter
  /** Places for attempts in this process, and how organizations use them, by kind of job. */
  places: PromGauge<'kind'>
  heldPlaces: PromGauge<'kind'>
  usedShares: PromGauge<'kind'>
  waitingForShare: PromGauge<'kind'>
  /** Read from the database when they are asked for; the same in every process. */
  deliveries: PromGauge<'state'>
  oldestDue: PromGauge
  parkedWebhooks: PromGauge
  /** Open problems of all organizations. */
  problems: PromGauge<'kind'>
  queuedMails: PromGauge
  /** Of the backups that are made by themselves. */
  backupAge: PromGauge
  backupFailing: PromGauge
  /** Of the streams of the audit log. */
  auditUnsent: PromGauge<'stream'>
  auditOldestUnsent: PromGauge<'stream'>
  auditFailing: PromGauge<'stream'>
  databaseQueue: PromGauge
  /** Requests of directories that are missing in the records of their organizations. */
  scimExchangesDropped: PromCounter
  jobs: PromGauge<'kind' | 'state'>
  oldestDueJob: PromGauge<'kind'>
  openRuns: PromGauge<'status'>
  endedRuns: PromCounter<'status'>
  /** Of runs that ended in this process. */
  steps: PromCounter<'kind' | 'status'>
  /** Of the exports to a collector of OpenTelemetry. */
  telemetryDropped: PromCounter<'signal'>
}

/** How often the use of the event loop is sampled; ten samples a second, the default, cost more than all other idle work. */
const UTILIZATION_SAMPLES: Millis = 10 * SECOND

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]

/**
 * Two registries an app, so that several apps of one process do not mix.
 * @param worker the number of this process among those that serve on one port
 */
export function createMetrics(worker?: number): Metrics {
  const [registry, stored] = [new PromRegistry(), new PromRegistry()]
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) })
  collectDefaultMetrics({
    register: registry,
    prefix: 'postern_',
    eventLoopUtilizationTimeout: UTILIZATION_SAMPLES,
  })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets = SECONDS,
  ) => new PromHistogram<Label>({ name, help, labelNames, buckets, registers: [registry] })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new PromCounter<Label>({ name, help, labelNames, registers: [registry] })
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new PromGauge<Label>({ name, help, labelNames, registers: [registry] })
  const storedGauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new PromGauge<Label>({ name, help, labelNames, registers: [stored] })
  const mails = counter('postern_mails_total', 'Mails by outcome', ['outcome'])
  // A series that began with its first failure would show no increase.
  for (const outcome of ['sent', 'retry', 'failed'] as const) mails.inc({ outcome }, 0)
  return {
    ...{ registry, stored },
    up:
      worker === undefined
        ? undefined
        : storedGauge(
            'postern_worker_up',
            'Whether the worker answered within two seconds; where it did not, its series are missing',
            ['worker'],
          ),
    replaced:
      worker === undefined
        ? undefined
        : new PromCounter({
            name: 'postern_workers_replaced_total',
            help: 'Workers that were replaced since the start, by cause: they ended, or stood still and were killed',
            labelNames: ['cause'],
            registers: [stored],
          }),
    requests: histogram('postern_http_request_duration_seconds', 'Duration of HTTP requests', [
      'route',
      'method',
      'status',
    ]),
    errors: counter('postern_http_errors_total', 'Requests that ended with 500', []),
    attempts: histogram(
      'postern_delivery_attempt_duration_seconds',
      'Duration of delivery attempts by outcome',
      ['outcome'],
    ),
    lateness: histogram(
      'postern_delivery_attempt_lateness_seconds',
      'Time from the moment an attempt was due to its start',
      [],
      [...SECONDS, 120, 600, 3_600],
    ),
    mails,
    events: counter(
      'postern_events_total',
      'Events that this process has committed, by source: published by callers, received at inbound paths, or facts of the platform; samples of POST /v1/webhooks/{id}/test are none',
      ['source'],
    ),
    workers: gauge(
      'postern_workers',
      'Workers that share the deliveries, the one of this process included',
      [],
    ),
    workerDeaths: counter(
      'postern_worker_deaths_total',
      'Workers that died, counted by the process that freed their claims',
      [],
    ),
    places: gauge('postern_places', 'Places for attempts at once in this process, by kind of job', ['kind']),
    heldPlaces: gauge('postern_places_held', 'Places in use in this process, by kind of job', ['kind']),
    usedShares: gauge(
      'postern_organizations_at_share',
      'Organizations whose jobs wait in this process only because the share of places of the organization is used up, by kind of job',
      ['kind'],
    ),
    waitingForShare: gauge(
      'postern_waiting_for_share',
      'Jobs in memory that wait only because the share of places of their organization is used up, by kind of job',
      ['kind'],
    ),
    inFlight: gauge('postern_delivery_attempts_in_flight', 'Attempts under way in this process', []),
    sendingBusy: counter(
      'postern_sending_thread_busy_seconds_total',
      'Time in which the thread that sends deliveries was busy: a rate of 1 is its limit',
      [],
    ),
    deliveries: storedGauge(
      'postern_deliveries',
      'Deliveries that have not ended, by state; up to a million that are unclaimed, and of 2,000 publications that are not written whole',
      ['state'],
    ),
    oldestDue: storedGauge(
      'postern_deliveries_oldest_due_seconds',
      'How long the delivery that waits longest has been due',
      [],
    ),
    parkedWebhooks: storedGauge(
      'postern_webhooks_parked',
      'Webhooks whose destinations have failed for so long that they get one call at a time',
      [],
    ),
    problems: storedGauge(
      'postern_problems',
      'Open problems of all organizations by what they concern, up to 10,000 of a kind',
      ['kind'],
    ),
    auditUnsent: storedGauge(
      'postern_audit_unsent',
      'Audit entries that a stream has not taken, up to 10,000',
      ['stream'],
    ),
    auditOldestUnsent: storedGauge(
      'postern_audit_oldest_unsent_seconds',
      'Age of the oldest audit entry that a stream has not taken',
      ['stream'],
    ),
    auditFailing: storedGauge(
      'postern_audit_stream_failing_seconds',
      'For how long a stream of the audit log has failed; 0 where it has not',
      ['stream'],
    ),
    backupAge: storedGauge(
      'postern_backup_age_seconds',
      'Age of the newest backup that was made by itself',
      [],
    ),
    backupFailing: storedGauge(
      'postern_backup_failing_seconds',
      'For how long backups have failed; 0 where they have not',
      [],
    ),
    queuedMails: storedGauge('postern_mails_queued', 'Mails to be sent, up to 10,000', []),
    jobs: storedGauge('postern_jobs', 'Jobs that have not ended, by kind and state, each up to 10,000', [
      'kind',
      'state',
    ]),
    oldestDueJob: storedGauge(
      'postern_jobs_oldest_due_seconds',
      'How long the job of a kind that waits longest has been due',
      ['kind'],
    ),
    openRuns: storedGauge(
      'postern_runs_open',
      'Runs of agents that have not ended, by status; up to 10,000 together',
      ['status'],
    ),
    endedRuns: counter('postern_runs_ended_total', 'Runs of agents that this process ended, by status', [
      'status',
    ]),
    steps: counter(
      'postern_run_steps_total',
      'Steps of the runs that this process ended, by kind and status',
      ['kind', 'status'],
    ),
    telemetryDropped: counter(
      'postern_telemetry_dropped_total',
      'Spans, lines of the log and metrics that the collector did not take, or that the queue to it had no place for, by signal',
      ['signal'],
    ),
    scimExchangesDropped: counter(
      'postern_scim_exchanges_dropped_total',
      'Requests of directories that are missing in the records of their organizations, because there were too many at once or the database did not take them',
      [],
    ),
    databaseQueue: gauge(
      'postern_database_queue',
      'Queries and transactions of this process that wait for their turn',
      [],
    ),
  }
}
