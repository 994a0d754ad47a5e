import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { bytes } from '../../app/amounts.ts'
import { count, textOf } from '../../app/words.ts'
import { ChoicesField, type FormState } from '../../parts/form.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import type { Values } from '../../parts/use-form.ts'
import { useFiles } from '../files/data.ts'

/** Files of a run at most. */
const MOST = 10

/** The files of a run. The list is read when the field is opened. */
export function FilesField<V extends Values>({ of, name }: { of: FormState<V>; name: keyof V & string }) {
  const [isOpen, setOpen] = useState(false)
  const locked = useAccess().reason({ permission: 'files:read', module: 'files' })
  const chosen = of.values[name] as readonly string[]
  if (locked !== undefined) return null
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {chosen.length === 0 ? 'Attach files' : `${count(chosen.length, 'file')} attached`}
        {chosen.length > MOST && `, ${MOST} at most`}
      </summary>
      {isOpen && <Choose of={of} name={name} />}
    </details>
  )
}

function Choose<V extends Values>({ of, name }: { of: FormState<V>; name: keyof V & string }) {
  const { rows, data, failure, refresh, hasMore } = useFiles()
  if (failure) return <Failed failure={failure} retry={refresh} />
  if (data === undefined) return <Waiting lines={2} />
  if (rows.length === 0) return <p class="quiet">No files yet. Upload one under Files.</p>
  return (
    <ChoicesField
      of={of}
      name={name}
      label="Files"
      hint={`Their text is what the agent reads, of ${MOST} at most.${hasMore ? ' The newest are shown.' : ''}`}
      options={rows.map(({ id, name: called, sizeBytes, status }) => ({
        value: id,
        label: textOf(called),
        note: status === 'processed' ? bytes(sizeBytes) : textOf(status),
      }))}
    />
  )
}
