import type { DeliveryAttempt } from '#sdk/postern.ts'
import { duration, errorWords, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Shares } from '../../parts/bar.tsx'
import { Body } from '../../parts/json.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Facts, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { changesOf } from './changes.ts'

/** One attempt: request, response, the time of each part, and the differences from the attempt before. */
export function Attempt({
  attempt,
  before,
  url,
  sent,
}: {
  attempt: DeliveryAttempt
  before: DeliveryAttempt | undefined
  url: string | undefined
  sent: string | undefined
}) {
  const { number, statusCode, errorClass, error, requestHeaders, responseHeaders, responseBody, durationMs } =
    attempt
  const changes = before === undefined ? [] : changesOf(before, attempt)
  const isGood = attempt.outcome === 'delivered'
  const answer =
    statusCode === null ? (errorClass === null ? 'none' : errorWords(errorClass)) : String(statusCode)
  return (
    <>
      {before && (
        <Notice icon="doctor" title={`Compared with attempt ${before.number}`}>
          {changes.length === 0 ? (
            'No differences: same request, same response.'
          ) : (
            <ul>
              {changes.map(({ what, from, to }) => (
                <li key={what}>
                  {what}: {from} → <strong>{to}</strong>
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      <div class="columns">
        <Panel title={`Request of attempt ${number}`}>
          <Facts
            rows={[
              ['To', <code key="url">POST {textOf(attempt.url ?? url ?? '')}</code>],
              [
                'Address',
                attempt.address === null ? '–' : <code key="address">{textOf(attempt.address)}</code>,
              ],
              ['At', <ExactTime key="at" at={attempt.startedAt} />],
              ['Signed with', `the ${attempt.signedWith} secret`],
            ]}
          />
          <Headers label="Request headers" headers={requestHeaders} />
          {sent && (
            <>
              <Body label="request body" text={sent} />
              <p class="quiet small">
                The copy has exactly the bytes that were signed and sent, like the copy as curl.
              </p>
            </>
          )}
        </Panel>
        <div class="stack">
          <Panel title="Response" actions={<Badge tone={isGood ? 'good' : 'bad'}>{answer}</Badge>}>
            {error !== null && <p>{textOf(error)}</p>}
            {statusCode === 401 && (
              <p class="quiet">
                Most receivers answer 401 when the signature does not match. Compare the secret in your
                receiver with the end of the secret that the webhook shows.
              </p>
            )}
            {responseHeaders && (
              <Headers
                label="Response headers"
                headers={responseHeaders}
                {...(before?.responseHeaders ? { before: before.responseHeaders } : {})}
              />
            )}
            {responseBody !== null && <Body label="response body" text={responseBody} />}
          </Panel>
          <Panel title={`Time: ${duration(durationMs)}`}>
            <Times attempt={attempt} />
          </Panel>
        </div>
      </div>
    </>
  )
}

function Headers({
  label,
  headers,
  before,
}: {
  label: string
  headers: Record<string, string>
  before?: Record<string, string>
}) {
  return (
    <dl class="delivery-head" aria-label={label}>
      {Object.entries(headers).map(([name, value]) => (
        <>
          <dt key={name}>{textOf(name)}</dt>
          <dd class={before !== undefined && before[name] !== value ? 'delivery-changed' : undefined}>
            {textOf(value)}
          </dd>
        </>
      ))}
    </dl>
  )
}

const PARTS = [
  ['dnsMs', 'DNS lookup', 'held'],
  ['connectMs', 'connection', 'plain'],
  ['tlsMs', 'TLS', 'wait'],
  ['firstByteMs', 'waiting for the response', 'good'],
] as const

/** Which part of an attempt took how long. */
function Times({ attempt: { timings, durationMs } }: { attempt: DeliveryAttempt }) {
  const parts = PARTS.map(([name, label, tone]) => ({ name: label, tone, value: timings[name] }))
  const known = parts.flatMap(({ value, ...part }) => (value === null ? [] : [{ ...part, value }]))
  const rest = Math.max(0, (timings.totalMs ?? durationMs) - known.reduce((sum, { value }) => sum + value, 0))
  const all = [...known, { name: 'other', tone: 'plain' as const, value: rest }]
  const isReused = timings.connectMs === null
  return (
    <div class="delivery-times">
      <Shares label="Milliseconds" parts={all} />
      <Facts rows={all.map(({ name, value }) => [name, duration(value)] as const)} />
      {isReused && <p class="small quiet">The connection was already open.</p>}
    </div>
  )
}
