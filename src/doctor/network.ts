import type { Config } from '../config/config.ts'
import { HOUR, type Millis, SECOND, systemClock, toIso } from '../core/clock.ts'
import { isLocalhost } from '../core/text/secure-url.ts'
import { inspectDatabase } from '../db/database.ts'
import { probeSmtp } from '../mail/smtp-probe.ts'
import { type Probe, probeUrl } from '../net/probe.ts'
import { CLOCK_AHEAD, MOVED } from '../store/clock-ahead.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** The tolerated difference between the clocks of one system. */
const TOLERATED_SKEW: Millis = 30 * SECOND

/** A clock before this time was never set, because Postern was written later. */
const WRITTEN_AT: Millis = 1_760_000_000_000

export const checkMail: Check = async ({ mail: { smtpUrl, from } }) => {
  const what = 'Mail'
  if (smtpUrl === undefined)
    return [{ level: 'warning', what, text: 'no SMTP_URL: nothing is sent; "postern mail" shows every mail' }]
  const host = new URL(smtpUrl).host
  try {
    await probeSmtp(smtpUrl)
  } catch (error) {
    return [
      {
        level: 'problem',
        what,
        text: `${host} does not take mail: ${(error as Error).message}; check SMTP_URL`,
      },
    ]
  }
  const findings: Finding[] = [{ level: 'ok', what, text: `${host} answers and would take mail` }]
  if (/@localhost>?$/.test(from))
    findings.push({
      level: 'warning',
      what,
      text: `the sender is ${from}; set MAIL_FROM to an address of yours`,
    })
  return findings
}

export const checkAddress: Check = async (config) => {
  const what = 'Base URL'
  const { protocol, hostname } = new URL(config.web.baseUrl)
  const findings: Finding[] = []
  const probe = await probeUrl(`${config.web.baseUrl}/livez`, systemClock).catch((error: Error) => error)
  if (probe instanceof Error) {
    const text = `nothing answers at ${config.web.baseUrl} (${reason(probe)}); right only while Postern is not started`
    findings.push({ level: 'warning', what, text })
  } else if (isPostern(probe))
    findings.push({ level: 'ok', what, text: `Postern answers at ${config.web.baseUrl}` })
  else {
    const text = `something that is not Postern answers at ${config.web.baseUrl} (${probe.status}); check BASE_URL and the proxy`
    findings.push({ level: 'problem', what, text })
  }
  if (protocol === 'https:')
    findings.push({ level: 'ok', what, text: 'https: cookies are Secure and __Host-' })
  else if (isLocalhost(hostname))
    findings.push({
      level: 'ok',
      what,
      text: 'plain http on this machine: cookies are not Secure, for a trial only',
    })
  else {
    const text =
      'plain http over a network: anybody on the way reads passwords and cookies; set an https BASE_URL'
    findings.push({ level: 'warning', what, text })
  }
  return findings
}

function isPostern({ status, body }: Probe): boolean {
  return status === 200 && (body as { status?: unknown } | undefined)?.status === 'ok'
}

function reason(error: Error): string {
  const { code, name } = error as Error & { code?: string }
  return code ?? (error.message || name)
}

export const checkProxy: Check = async ({ web: { baseUrl }, http: { trustProxy, host } }) => {
  const what = 'Proxy'
  const isHttps = baseUrl.startsWith('https:')
  if (isHttps && trustProxy.length === 0) {
    const text =
      'TRUST_PROXY is not set while BASE_URL is https: every client looks like the proxy, so all share its limits; set it to the address of the proxy, e.g. 127.0.0.1'
    return [{ level: 'warning', what, text }]
  }
  if (trustProxy.some((network) => /\/0$/.test(network))) {
    const text = 'TRUST_PROXY trusts every address: any client may then claim any other; name the proxy alone'
    return [{ level: 'problem', what, text }]
  }
  if (!isHttps && trustProxy.length > 0)
    return [
      { level: 'warning', what, text: 'TRUST_PROXY is set while BASE_URL is not https; is there a proxy?' },
    ]
  const text =
    trustProxy.length > 0
      ? `X-Forwarded-For of ${trustProxy.join(', ')} counts`
      : `none; it listens on ${host}`
  return [{ level: 'ok', what, text }]
}

export const checkOrigins: Check = async (config) => {
  const what = 'Origins'
  const own = [config.web.baseUrl, config.web.appUrl].map((url) => new URL(url).origin)
  const others = config.web.allowedOrigins.filter((origin) => !own.includes(origin))
  const findings: Finding[] = others.flatMap((origin) => troubleOf(origin, config.web, what))
  if (findings.length > 0) return findings
  const text =
    others.length === 0
      ? 'none beside its own; set ALLOWED_ORIGINS for a front end elsewhere'
      : others.join(', ')
  return [{ level: 'ok', what, text }]
}

/** The problem of a browser at `origin` whose session cookie would not be sent. */
function troubleOf(origin: string, { baseUrl }: Config['web'], what: string): Finding[] {
  const [front, back] = [new URL(origin), new URL(baseUrl)]
  if (back.protocol === 'https:' && front.protocol === 'http:' && !isLocalhost(front.hostname))
    return [
      { level: 'warning', what, text: `${origin} is not https: what it shows can be changed on the way` },
    ]
  if (site(front) === site(back)) return []
  const text = `${origin} is another site than ${back.origin}: browsers send no SameSite cookie from there; serve both under one domain`
  return [{ level: 'warning', what, text }]
}

/** The approximate registrable domain; advice needs no list of all public suffixes. */
function site({ hostname }: URL): string {
  return hostname.split('.').slice(-2).join('.')
}

export const checkClock: Check = async (config) => {
  const what = 'Clock'
  const now = systemClock.now()
  if (now < WRITTEN_AT)
    return [{ level: 'problem', what, text: `it says ${toIso(now)}, which has long passed; set it` }]
  const { newestEntry: newest, meta } =
    (hasStore(config.store) ? await inspectDatabase(config.store).catch(() => undefined) : undefined) ?? {}
  const ahead = Number(meta?.get(CLOCK_AHEAD) ?? 0)
  if (ahead > 0 && !config.devClock) return [{ level: 'problem', what, text: MOVED }]
  if (newest !== undefined && newest > now + ahead + TOLERATED_SKEW) {
    const hours = Math.ceil((newest - now) / HOUR)
    const text = `it says ${toIso(now)}, but the audit log is ${hours} h ahead: it was set back, or was wrong before`
    return [{ level: 'problem', what, text }]
  }
  const skew = await probeUrl(`${config.web.baseUrl}/livez`, systemClock).then(
    (probe) => probe.skew,
    () => undefined,
  )
  if (skew !== undefined && Math.abs(skew) > TOLERATED_SKEW) {
    const text = `it is ${Math.round(Math.abs(skew) / SECOND)} s away from the clock behind BASE_URL; use a time server`
    return [{ level: 'warning', what, text }]
  }
  const moved = ahead > 0 ? `; that of the database was moved to ${toIso(now + ahead)}` : ''
  return [{ level: 'ok', what, text: `${toIso(now)}${moved}` }]
}
