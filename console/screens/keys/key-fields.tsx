import { useState } from 'preact/hooks'
import { DAY, now } from '../../app/clock.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { AreaField, Form, type FormState, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

/** Until when a key is good and from where it may come, as its form has them. */
export interface LimitTexts {
  expiresInDays: string
  allowedAddresses: string
}

/** The form of a new key: no limits. */
export const NO_LIMITS: LimitTexts = { expiresInDays: '', allowedAddresses: '' }

interface LimitedKey {
  expiresAt: string | null
  allowedAddresses: readonly string[] | null
}

/** The limits of a key for the fields of its form. */
export function limitTextsOf({ expiresAt, allowedAddresses }: LimitedKey): LimitTexts {
  const at = millisOf(expiresAt)
  return {
    expiresInDays: at === undefined ? '' : String(Math.max(1, Math.round((at - now()) / DAY))),
    allowedAddresses: (allowedAddresses ?? []).map(textOf).join('\n'),
  }
}

/**
 * The members of a request for the fields that differ from `start`: an end that was not edited stays to the minute. For a new key,
 * whose fields start empty, no member is null.
 */
export function limitsOf(values: LimitTexts, start: LimitTexts = NO_LIMITS) {
  const days = values.expiresInDays.trim()
  const lines = values.allowedAddresses
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return {
    ...(days === start.expiresInDays ? {} : { expiresInDays: (days === '' ? null : Number(days)) as number }),
    ...(values.allowedAddresses === start.allowedAddresses
      ? {}
      : { allowedAddresses: lines.length === 0 ? null : lines }),
  }
}

/** The fields of a key's expiry and addresses. */
export function LimitFields<V extends LimitTexts>({ of }: { of: FormState<V> }) {
  return (
    <>
      <TextField
        of={of}
        name={'expiresInDays' as keyof V & string}
        label="Expires after (days from now)"
        type="number"
        optional
        hint="Empty: it does not expire."
      />
      <AreaField
        of={of}
        name={'allowedAddresses' as keyof V & string}
        label="Addresses"
        rows={3}
        mono
        optional
        hint="Networks from which the key may come, one a line: 203.0.113.0/24. Empty: from anywhere."
      />
    </>
  )
}

/** When a key expires; marked in its last week. */
export function Expiry({ at: expiresAt }: { at: string | null }) {
  const at = millisOf(expiresAt)
  if (at === undefined) return <span class="quiet">never</span>
  const left = at - now()
  if (left <= 0) return <Badge tone="bad">expired</Badge>
  return left < 7 * DAY ? (
    <Badge tone="wait">
      <Time at={expiresAt} />
    </Badge>
  ) : (
    <Time at={expiresAt} />
  )
}

const OVERLAPS = [
  ['24', '24 hours more'],
  ['1', 'one hour more'],
  ['168', 'a week more'],
  ['0', 'not at all: it has leaked'],
] as const

/** Asks how long the present secret of a key still works. `rotate` shows the new one. */
export function RotateSecret({
  name,
  rotate,
  onClose,
}: {
  name: string
  rotate: (overlapHours: number) => Promise<void>
  onClose: () => void
}) {
  const form = useForm({ overlapHours: '24' }, ({ overlapHours }) => rotate(Number(overlapHours)))
  return (
    <Dialog title={`Rotate the key ${name}`} onClose={onClose}>
      <Form of={form} action="Rotate" onCancel={onClose}>
        <p>The key gets a new secret, which is shown once. What the key may do and owns stays.</p>
        <SelectField of={form} name="overlapHours" label="The present secret works" options={OVERLAPS} />
      </Form>
    </Dialog>
  )
}

/** Asks whether to delete a key, and does it. */
export function RemoveKey({
  name,
  text,
  remove,
  onClose,
}: {
  name: string
  /** What ends with it. */
  text: string
  remove: (withMade: boolean) => Promise<void>
  onClose: () => void
}) {
  const [withMade, setWithMade] = useState(false)
  return (
    <Confirm
      title={`Delete the key ${name}?`}
      action="Delete"
      danger
      name={name}
      work={async () => {
        await remove(withMade)
        toast(`The key ${name} is deleted`)
      }}
      onClose={onClose}
    >
      <p>{text}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={withMade}
          onChange={(event) => setWithMade(event.currentTarget.checked)}
        />
        <span>Also delete the keys that were created with it</span>
      </label>
    </Confirm>
  )
}
