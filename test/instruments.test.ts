import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { nightly } from './support/nightly.ts'
import { administrator } from './support/people.ts'
import { onOneEngineByDay, usePostern } from './support/postern.ts'

const run = promisify(execFile)
const RULES = resolve('deploy/alerts.yml')
const DASHBOARD = resolve('deploy/grafana.json')
/** Debian has it in the package `prometheus`. By day it is asked where it is named. */
const PROMTOOL = process.env.PROMTOOL ?? nightly('promtool', '')

interface Alert {
  name: string
  expr: string
  runbook: string
}

const alerts = readFileSync(RULES, 'utf8')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text): Alert => {
    const member = (name: string) => new RegExp(`^ +${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
    const expr = member('expr')
    return {
      name: text.split('\n', 1)[0] ?? '',
      expr: expr.startsWith("'") ? expr.slice(1, -1).replaceAll("''", "'") : expr,
      runbook: member('runbook_url'),
    }
  })

interface Panel {
  id: number
  title: string
  targets: { expr: string }[]
}
const { panels, uid } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[]; uid: string }

/** Of every series that fires an alert and of one that does not: `+` adds with each minute. */
const CASES: Record<string, { fires: Record<string, string>; quiet: Record<string, string> }> = {
  PosternDown: { fires: { 'up{job="postern"}': '0x70' }, quiet: { 'up{job="postern"}': '1x70' } },
  PosternNoWorkers: { fires: { postern_workers: '0x70' }, quiet: { postern_workers: '1x70' } },
  PosternWorkerDied: {
    fires: { postern_worker_deaths_total: '0x60 1x10' },
    quiet: { postern_worker_deaths_total: '7x70' },
  },
  PosternRestarts: {
    fires: { postern_process_start_time_seconds: '0+60x70' },
    quiet: { postern_process_start_time_seconds: '0x40 9x30' },
  },
  PosternDeliveriesLate: {
    fires: { postern_deliveries_oldest_due_seconds: '61x70' },
    quiet: { postern_deliveries_oldest_due_seconds: '59x70' },
  },
  PosternAttemptsFail: {
    fires: {
      'postern_delivery_attempt_duration_seconds_count{outcome="delivered"}': '0+4x70',
      'postern_delivery_attempt_duration_seconds_count{outcome="retry"}': '0+6x70',
    },
    quiet: {
      'postern_delivery_attempt_duration_seconds_count{outcome="delivered"}': '0+6x70',
      'postern_delivery_attempt_duration_seconds_count{outcome="retry"}': '0+4x70',
    },
  },
  PosternWebhooksParked: {
    fires: { postern_webhooks_parked: '1x70' },
    quiet: { postern_webhooks_parked: '1x30 0x40' },
  },
  PosternErrors: {
    fires: { postern_http_errors_total: '0x57 1x13' },
    quiet: { postern_http_errors_total: '7x70' },
  },
  PosternSlow: {
    fires: {
      'postern_http_request_duration_seconds_bucket{le="1",route="/v1/events"}': '0+8x70',
      'postern_http_request_duration_seconds_bucket{le="2.5",route="/v1/events"}': '0+10x70',
      'postern_http_request_duration_seconds_bucket{le="+Inf",route="/v1/events"}': '0+10x70',
    },
    quiet: {
      'postern_http_request_duration_seconds_bucket{le="1",route="/v1/stream"}': '0+1x70',
      'postern_http_request_duration_seconds_bucket{le="+Inf",route="/v1/stream"}': '0+10x70',
      'postern_http_request_duration_seconds_bucket{le="1",route="/v1/listeners/:name/claims"}': '0+1x70',
      'postern_http_request_duration_seconds_bucket{le="+Inf",route="/v1/listeners/:name/claims"}': '0+10x70',
    },
  },
  PosternEventLoopLag: {
    fires: { postern_nodejs_eventloop_lag_p99_seconds: '0.2x70' },
    quiet: { postern_nodejs_eventloop_lag_p99_seconds: '0.02x70' },
  },
  PosternDatabaseQueue: {
    fires: { postern_database_queue: '3x70' },
    quiet: { postern_database_queue: '3 0 3 0 3 0 3 0 3 0x61' },
  },
  PosternMailsFail: {
    fires: { 'postern_mails_total{outcome="failed"}': '0x50 1x20' },
    quiet: { 'postern_mails_total{outcome="sent"}': '0+9x70' },
  },
  PosternMailsWait: { fires: { postern_mails_queued: '51x70' }, quiet: { postern_mails_queued: '49x70' } },
  PosternJobsLate: {
    fires: { 'postern_jobs_oldest_due_seconds{kind="run"}': '301x70' },
    quiet: { 'postern_jobs_oldest_due_seconds{kind="run"}': '299x70' },
  },
  PosternAuditStreamFails: {
    fires: { 'postern_audit_stream_failing_seconds{stream="aus_1"}': '601x70' },
    quiet: { 'postern_audit_stream_failing_seconds{stream="aus_1"}': '599x70' },
  },
  PosternBackupsFail: {
    fires: { postern_backup_failing_seconds: '3601x70' },
    quiet: { postern_backup_failing_seconds: '3599x70' },
  },
  PosternBackupLate: {
    fires: { postern_backup_age_seconds: '129601x70' },
    quiet: { postern_backup_age_seconds: '129599x70' },
  },
  PosternOpenFiles: {
    fires: { postern_process_open_fds: '900x70', postern_process_max_fds: '1024x70' },
    quiet: { postern_process_open_fds: '90x70', postern_process_max_fds: '1024x70' },
  },
}

onOneEngineByDay('the rules and the dashboard', (engine) => {
  const start = usePostern(engine)

  it('ask for metrics that there are, by labels that they have', async () => {
    const server = await start()
    await administrator(server)
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    )
    const known = new Set([...types.keys()])
    for (const [name, type] of types)
      if (type === 'histogram')
        for (const suffix of ['bucket', 'count', 'sum']) known.add(`${name}_${suffix}`)
    const asked = [
      ...alerts.map(({ name, expr }) => ({ name, expr })),
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
    ]
    assert.ok(asked.length > 40, `${asked.length} expressions`)
    const labels = new Map<string, Set<string>>()
    for (const [, name = '', pairs = ''] of text.matchAll(/^(\w+)\{([^}]*)\} /gm)) {
      const of = labels.get(name) ?? new Set()
      for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) labels.set(name, of.add(label))
    }
    for (const { name, expr } of asked) {
      const names = [...expr.matchAll(/\b(postern_\w+)(?:\{([^}]*)\})?/g)]
      assert.ok(names.length > 0 || expr.includes('up{'), `${name} asks for nothing: ${expr}`)
      for (const [, metric = '', wanted = ''] of names) {
        assert.ok(known.has(metric), `${name} asks for ${metric}, which /metrics does not have`)
        // A series without a sample so far shows no labels.
        const has = labels.get(metric)
        if (has === undefined) continue
        for (const [, label = ''] of wanted.matchAll(/(\w+)(?:=~|!~|!=|=)/g))
          assert.ok(label === 'job' || has.has(label), `${name}: ${metric} has no label ${label}`)
      }
    }
  })
})

onOneEngineByDay('metrics', (engine) => {
  const start = usePostern(engine)

  it('have what alerts count from the start, so that the first failure is an increase', async () => {
    const server = await start()
    const text = await (await fetch(`${server.url}/metrics`)).text()
    for (const { name, expr } of alerts)
      for (const [, metric = '', wanted] of expr.matchAll(/increase\((\w+)(?:\{([^}]*)\})?\[/g))
        assert.match(
          text,
          new RegExp(`^${metric}${wanted === undefined ? '' : `\\{${wanted}\\}`} 0$`, 'm'),
          `${name}: ${metric}`,
        )
    for (const outcome of ['sent', 'retry', 'failed'])
      assert.match(text, new RegExp(`^postern_mails_total\\{outcome="${outcome}"\\} 0$`, 'm'))
  })
})

describe('the alerts', () => {
  it('have each a section that says what to do, and a case that fires it', () => {
    const page = readFileSync('docs/alerts.md', 'utf8')
    const sections = new Map(
      page
        .split(/^## /m)
        .slice(1)
        .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n')).trim()]),
    )
    assert.deepEqual([...sections.keys()].sort(), alerts.map(({ name }) => name).sort())
    for (const { name, runbook } of alerts) {
      assert.equal(runbook, `docs/alerts.md#${name.toLowerCase()}`)
      assert.ok((sections.get(name)?.length ?? 0) > 80, `${name} is not explained`)
    }
    assert.deepEqual(Object.keys(CASES).sort(), alerts.map(({ name }) => name).sort())
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    assert.equal(uid, 'postern')
  })

  it('fire when they should and not otherwise, as promtool finds', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-alerts-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    try {
      await run(PROMTOOL, ['--version'])
    } catch {
      return t.skip('asked at night, or where PROMTOOL names a promtool (Debian: prometheus)')
    }
    await run(PROMTOOL, ['check', 'rules', RULES])
    const tests = Object.entries(CASES).flatMap(([alert, { fires, quiet }]) =>
      [fires, quiet].map((series, index) => ({
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
            eval_time: '65m',
            exp_samples: index === 0 ? [{ labels: '{}', value: 1 }] : [],
          },
        ],
      })),
    )
    const file = join(folder, 'cases.yml')
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { stdout } = await run(PROMTOOL, ['test', 'rules', file]).catch(
      (error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}\n${error.stderr}`),
    )
    assert.match(stdout, /SUCCESS/)
  })
})
