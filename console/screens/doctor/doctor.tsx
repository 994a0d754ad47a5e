import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { type Diagnosis, diagnose } from '#sdk/doctor.ts'
import { toMillis } from '../../app/clock.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { bytesOf, readHeaders, VECTOR } from './vector.ts'
import { Verdict } from './verdict.tsx'

interface Given {
  body: string
  isBase64: boolean
  headers: string
  secrets: string
  computed: string
  /** The moment to which the time of signing is compared; now where it is empty. */
  at: string
}

/** The time at which the example was signed. It is far in the past, so the check uses this time. */
const SIGNED = '2026-11-18T11:06:40Z'
const SAMPLE: Given = { ...VECTOR, secrets: VECTOR.secret, isBase64: false, computed: '', at: SIGNED }
const NOTHING: Given = { body: '', isBase64: false, headers: '', secrets: '', computed: '', at: '' }

/** Explains why a signature does not match. Nothing that is typed, such as the secret, is sent or stored. */
export function Screen() {
  const [given, setGiven] = useState<Given>(SAMPLE)
  const set = (changed: Partial<Given>) => setGiven((before) => ({ ...before, ...changed }))
  const { diagnosis, problem } = useDiagnosis(given)
  return (
    <Page
      title="Signature doctor"
      lead="Find out why a signature does not match. Everything runs in this browser: the secret is not sent or stored anywhere."
      actions={
        <>
          <Button icon="doctor" onPress={() => setGiven(SAMPLE)}>
            Load an example
          </Button>
          <Button icon="cross" onPress={() => setGiven(NOTHING)}>
            Clear all
          </Button>
        </>
      }
    >
      <div class="doctor">
        <Panel>
          <Area
            label="Body"
            hint={
              given.isBase64
                ? 'The bytes as base64, so that nothing can change them on the way.'
                : 'Exactly as received. Use base64 if you have the bytes.'
            }
            rows={8}
            value={given.body}
            onInput={(body) => set({ body })}
          >
            <label class="check small">
              <input
                type="checkbox"
                checked={given.isBase64}
                onChange={(event) => set({ isBase64: event.currentTarget.checked })}
              />
              <span>The body is base64</span>
            </label>
          </Area>
          <Area
            label="Headers"
            hint="Lines as in a log, or JSON. Other headers are ignored."
            rows={5}
            value={given.headers}
            onInput={(headers) => set({ headers })}
          />
          <Area
            label="Secret"
            hint="whsec_… One per line, the current one first."
            rows={2}
            value={given.secrets}
            onInput={(secrets) => set({ secrets })}
          />
          <details>
            <summary>Result of your own code, and time</summary>
            <div class="stack doctor-more">
              <Area
                label="Computed signature"
                hint="Compared instead of the signature of the call, to find the error in your code."
                rows={2}
                value={given.computed}
                onInput={(computed) => set({ computed })}
              />
              <Area
                label="Time of the check"
                hint="For example 2026-11-18T11:06:40Z. Empty: now."
                rows={1}
                value={given.at}
                onInput={(at) => set({ at })}
              />
            </div>
          </details>
        </Panel>
        <div class="doctor-answer" aria-live="polite">
          {problem !== undefined ? (
            <Notice tone="wait" icon="alert" title={problem} />
          ) : (
            diagnosis && <Verdict diagnosis={diagnosis} isComputed={given.computed.trim() !== ''} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** The verdict on the present input. Of several checks under way the last one counts. */
function useDiagnosis(given: Given): { diagnosis: Diagnosis | undefined; problem: string | undefined } {
  const [diagnosis, setDiagnosis] = useState<Diagnosis | undefined>()
  const problem = problemOf(given)
  useEffect(() => {
    if (problem !== undefined) return
    let isGone = false
    const { body, isBase64, headers, secrets, computed, at } = given
    const when = millisOf(at.trim())
    const asked = {
      body: isBase64 ? (bytesOf(body) ?? '') : body,
      headers: readHeaders(headers),
      secrets: secrets.split('\n').filter((secret) => secret.trim() !== ''),
      ...(computed.trim() === '' ? {} : { computed: computed.trim() }),
      ...(when === undefined ? {} : { now: when }),
    }
    void diagnose(asked).then((next) => isGone || setDiagnosis(next))
    return () => {
      isGone = true
    }
  }, [given])
  return { diagnosis, problem }
}

function problemOf({ body, isBase64, secrets, at }: Given): string | undefined {
  if (secrets.trim() === '') return 'Paste the signing secret of the webhook'
  if (body === '') return 'Paste the body of the call'
  if (isBase64 && bytesOf(body) === undefined) return 'The body is not valid base64'
  if (at.trim() !== '' && Number.isNaN(toMillis(at.trim()))) return 'The time is not valid'
  if (globalThis.crypto?.subtle === undefined)
    return 'WebCrypto needs https or localhost. Use npx postern verify instead'
  return undefined
}

function Area({
  label,
  hint,
  rows,
  value,
  onInput,
  children,
}: {
  label: string
  hint: string
  rows: number
  value: string
  onInput: (text: string) => void
  children?: ComponentChildren
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p class="hint small quiet" id={`${id}-hint`}>
        {hint}
      </p>
      <textarea
        id={id}
        class="mono small"
        rows={rows}
        aria-describedby={`${id}-hint`}
        spellcheck={false}
        autocomplete="off"
        value={textOf(value)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {children}
    </div>
  )
}
