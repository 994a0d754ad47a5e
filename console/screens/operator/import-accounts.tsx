import { useMemo, useRef, useState } from 'preact/hooks'
import { outdate } from '../../app/data/cache.ts'
import { count, number, reasonWords, textOf } from '../../app/words.ts'
import { Progress } from '../../parts/bar.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, Form, useForm } from '../../parts/form.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Figure } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { type ImportLine, type ImportLines, inRequests, readImport } from './import-lines.ts'
import { operator } from './operator.ts'

/** Larger files are for the command, which reads them line by line. */
const MOST_BYTES = 20_000_000
/** Refused lines that are shown. */
const MOST_SHOWN = 100

interface Refused {
  line: number
  email: string
  field: string
  reason: string
}

interface Result {
  isDry: boolean
  imported: number
  unchanged: number
  refused: Refused[]
}

/** Imports accounts of another system: checked by the server first, and then imported. */
export function ImportAccounts({ onClose }: { onClose: () => void }) {
  const chooser = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<{ name: string; text: string } | undefined>()
  const [isTooLarge, setTooLarge] = useState(false)
  const [result, setResult] = useState<Result | undefined>()
  const [sent, setSent] = useState(0)
  const isChecked = result?.isDry === true
  const form = useForm({ lines: '' }, async () => {
    setResult(await send(lines, !isChecked, setSent))
    if (isChecked) outdate('operator/accounts')
  })
  const text = file?.text ?? form.values.lines
  const lines = useMemo(() => readImport(text), [text])
  const take = async (chosen: File | undefined) => {
    if (chosen === undefined) return
    setTooLarge(chosen.size > MOST_BYTES)
    if (chosen.size > MOST_BYTES) return
    setFile({ name: chosen.name, text: await chosen.text() })
    setResult(undefined)
  }
  const isDone = result?.isDry === false
  const found = lines.accounts.length
  return (
    <Dialog title="Import accounts" onClose={onClose} wide>
      <div class="stack">
        <p>
          Accounts of another system keep their passwords: each line is one account as a JSON object, with the
          hash of its password. No mail is sent, and an existing account is never changed.
        </p>
        <input
          ref={chooser}
          type="file"
          accept=".jsonl,.ndjson,.json,.txt"
          hidden
          onChange={async ({ currentTarget }) => {
            await take(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
        {!isDone && (
          <div class="row">
            <Button icon="upload" onPress={() => chooser.current?.click()}>
              Choose a file
            </Button>
            {file && <span class="small">{textOf(file.name)}</span>}
            {file && (
              <Button
                kind="quiet"
                small
                onPress={() => {
                  setFile(undefined)
                  setResult(undefined)
                }}
              >
                Enter lines instead
              </Button>
            )}
          </div>
        )}
        {isTooLarge && (
          <Notice tone="wait" icon="file" title="The file is larger than 20 MB">
            The command reads it line by line, on the machine of the server:
            <Command text="npx postern import-accounts --file accounts.jsonl --dry-run" />
          </Notice>
        )}
        {result && <Outcome of={result} />}
        {isDone ? (
          <div class="row dialog-foot">
            <Button kind="primary" onPress={onClose}>
              Done
            </Button>
          </div>
        ) : (
          <Form
            of={form}
            action={isChecked ? `Import ${count(result.imported, 'account')}` : 'Check'}
            reason={reasonOf(found, result)}
            onCancel={onClose}
          >
            {file === undefined && (
              <AreaField
                of={{
                  ...form,
                  set: (name, value) => {
                    setResult(undefined)
                    form.set(name, value)
                  },
                }}
                name="lines"
                label="Accounts, one per line"
                hint="The members are in the operations guide, under Accounts of another system."
                placeholder='{"email":"grace@acme.test","passwordHash":"$2b$10$…","organizations":[{"organization":"org_…"}]}'
                rows={6}
                mono
              />
            )}
            <Preview of={lines} />
            {form.isBusy && <Progress label="Accounts that were sent" done={sent} total={found} />}
          </Form>
        )}
      </div>
    </Dialog>
  )
}

/** Why the button cannot be pressed. */
function reasonOf(found: number, result: Result | undefined): string | undefined {
  if (found === 0) return 'Choose a file or enter lines first'
  return result?.isDry && result.imported === 0 ? 'No account would be imported' : undefined
}

/** What the lines contain, before anything is sent. */
function Preview({ of: { accounts, unreadable } }: { of: ImportLines }) {
  if (accounts.length + unreadable.length === 0) return null
  const hashes = accounts.filter(({ account }) => typeof account.passwordHash === 'string').length
  const words = [
    count(accounts.length, 'account'),
    `${number(hashes)} with a password`,
    ...(unreadable.length === 0 ? [] : [`${count(unreadable.length, 'line')} without a JSON object`]),
  ]
  return (
    <p class="small quiet" aria-live="polite">
      {words.join(', ')}
    </p>
  )
}

/**
 * Sends the accounts, and reports how many were sent so far. After a failure the same lines may be sent again: imported accounts
 * are unchanged then.
 */
async function send(
  { accounts, unreadable }: ImportLines,
  isDry: boolean,
  onSent: (count: number) => void,
): Promise<Result> {
  const result: Result = {
    ...{ isDry, imported: 0, unchanged: 0 },
    refused: unreadable.map((line) => ({ line, email: '', field: 'line', reason: 'not_json' })),
  }
  let sent = 0
  onSent(sent)
  for (const some of inRequests(accounts)) {
    const { imported, unchanged, refusals } = await operator.accounts.import({
      accounts: some.map(({ account }) => account),
      dryRun: isDry,
    })
    result.imported += imported
    result.unchanged += unchanged
    for (const { index, field, reason } of refusals)
      result.refused.push({ ...nameOf(some[index]), field, reason })
    sent += some.length
    onSent(sent)
  }
  result.refused.sort((a, b) => a.line - b.line)
  return result
}

function nameOf(one: ImportLine | undefined): Pick<Refused, 'line' | 'email'> {
  return { line: one?.line ?? 0, email: textOf(one?.account.email) }
}

/** What was imported, or would be; and each refused line with its reason. */
function Outcome({ of: { isDry, imported, unchanged, refused } }: { of: Result }) {
  return (
    <section
      class="stack"
      aria-label={isDry ? 'Result of the check' : 'Result of the import'}
      aria-live="polite"
    >
      <div class="figures">
        <Figure name={isDry ? 'Would be imported' : 'Imported'} value={number(imported)} />
        <Figure name="Unchanged" value={number(unchanged)} note="members already" />
        <Figure name="Refused" value={number(refused.length)} />
      </div>
      {refused.length > 0 && (
        <Table
          label="Refused lines"
          rows={refused.slice(0, MOST_SHOWN)}
          keyOf={({ line }) => String(line)}
          columns={[
            { title: 'Line', tight: true, end: true, cell: ({ line }) => number(line) },
            { title: 'Account', cell: ({ email }) => email },
            { title: 'Member', tight: true, cell: ({ field }) => <code>{textOf(field)}</code> },
            { title: 'Reason', cell: ({ reason }) => reasonWords(reason) },
          ]}
        />
      )}
      {refused.length > MOST_SHOWN && (
        <p class="small quiet">{number(refused.length - MOST_SHOWN)} more are not shown.</p>
      )}
    </section>
  )
}
