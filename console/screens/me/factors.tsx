import { useRef, useState } from 'preact/hooks'
import type { AddPasskeyBody, Factor, FactorPage } from '#sdk/postern.ts'
import { outdate, useData } from '../../app/data/cache.ts'
import { byCookie, personChanged, rights } from '../../app/data/session.ts'
import { useAction } from '../../app/data/use-action.ts'
import { createPasskey, hasPasskeys } from '../../app/passkey.ts'
import { organizationId } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Loading } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Refused } from './refused.tsx'

const AddTotp = lazy(() => import('./add-totp.tsx').then((module) => module.AddTotp))
const RecoveryCodes = lazy(() => import('./recovery-codes.tsx').then((module) => module.RecoveryCodes))

const KINDS: Record<Factor['kind'], string> = { totp: 'Authenticator app', passkey: 'Passkey' }

/** An organization that requires a second factor is shut for members without one: nothing of it can be read. */
const isShut = () => rights.get()[organizationId() ?? ''] === undefined

type Asked = { what: 'totp' | 'codes' } | { what: 'rename' | 'remove'; factor: Factor }

/** The second factors of the person: added, named and removed here. */
export function Factors() {
  const { data, failure, refresh } = useData<FactorPage>(
    'factors',
    (how) => byCookie.factors.list(how).page() as Promise<FactorPage>,
  )
  const [asked, ask] = useState<Asked | undefined>()
  const [codes, setCodes] = useState<readonly string[] | undefined>()
  /** Before the first factor was added; after it, a renewed token may have opened the organization already. */
  const wasShut = useRef(false)
  const changed = (recoveryCodes: readonly string[] | null) => {
    ask(undefined)
    outdate('factors')
    // The first one ends what was let in without it.
    outdate('sessions')
    outdate('own grants')
    if (recoveryCodes !== null) setCodes(recoveryCodes)
    // What organizations require of the person may be there now, or lack.
    else void personChanged()
  }
  const kept = () => {
    setCodes(undefined)
    if (wasShut.current) location.reload()
    else void personChanged()
  }
  const adding = useAction(async () => {
    wasShut.current = isShut()
    const { options } = await byCookie.factors.startPasskey()
    const credential = await createPasskey<AddPasskeyBody['credential']>(options)
    const { recoveryCodes } = await byCookie.factors.addPasskey({ credential })
    toast('Passkey added')
    changed(recoveryCodes)
  })
  const addTotp = () => {
    wasShut.current = isShut()
    ask({ what: 'totp' })
  }
  const factors = data?.data ?? []
  const left = data?.recoveryCodesLeft ?? 0
  return (
    <Panel
      title="Second factors"
      note="Asked for at each sign-in, and before dangerous changes."
      flush
      actions={
        <>
          {hasPasskeys && (
            <Button small icon="plus" busy={adding.isBusy} onPress={() => void adding.run()}>
              Passkey
            </Button>
          )}
          <Button small icon="plus" onPress={addTotp}>
            Authenticator app
          </Button>
          {factors.length > 0 && (
            <Button small onPress={() => ask({ what: 'codes' })}>
              New recovery codes
            </Button>
          )}
        </>
      }
    >
      <Refused failure={adding.failure} />
      {data === undefined ? (
        <Loading failure={failure} retry={refresh} lines={2} />
      ) : (
        <>
          <Table
            label="Second factors"
            rows={factors}
            keyOf={({ id }) => String(id)}
            empty={
              <Empty icon="lock" title="No second factor yet">
                <p>
                  One protects your account when somebody learns your password. The first one signs out your
                  other sessions, and ends the access of applications.
                </p>
              </Empty>
            }
            columns={[
              {
                title: 'Name',
                cell: ({ name, kind }) => (
                  <div class="person">
                    <span class="person-name">{textOf(name)}</span>
                    <span class="small quiet">{KINDS[kind]}</span>
                  </div>
                ),
              },
              {
                title: 'Last used',
                tight: true,
                cell: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" />,
              },
              { title: 'Added', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Actions',
                tight: true,
                end: true,
                cell: (factor) => (
                  <Menu
                    small
                    label={`More for ${textOf(factor.name)}`}
                    items={[
                      { label: 'Rename', icon: 'compose', run: () => ask({ what: 'rename', factor }) },
                      {
                        ...{ label: 'Remove', icon: 'trash' as const, danger: true },
                        run: () => ask({ what: 'remove', factor }),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
          {factors.length > 0 && (
            <p class={left < 3 ? 'me-codes-left small' : 'me-codes-left small quiet'}>
              {left} recovery {left === 1 ? 'code' : 'codes'} left
              {left < 3 && '. Make new ones before you need them.'}
            </p>
          )}
        </>
      )}
      {asked?.what === 'totp' && <AddTotp onAdded={changed} onClose={() => ask(undefined)} />}
      {asked?.what === 'codes' && (
        <Confirm
          title="Make new recovery codes?"
          action="Make new codes"
          work={async () => changed((await byCookie.factors.replaceRecoveryCodes()).recoveryCodes)}
          onClose={() => ask(undefined)}
        >
          <p>The earlier codes stop working.</p>
        </Confirm>
      )}
      {asked?.what === 'rename' && <Rename factor={asked.factor} onClose={() => ask(undefined)} />}
      {asked?.what === 'remove' && (
        <Confirm
          title={`Remove ${textOf(asked.factor.name)}?`}
          action="Remove"
          danger
          work={async () => {
            await byCookie.factors.delete(String(asked.factor.id))
            changed(null)
            toast('Second factor removed')
          }}
          onClose={() => ask(undefined)}
        >
          <p>
            {factors.length === 1
              ? 'It is your last one: its recovery codes end with it, and your password alone signs you in.'
              : 'It no longer signs you in.'}
          </p>
        </Confirm>
      )}
      {codes && <RecoveryCodes codes={codes} onClose={kept} />}
    </Panel>
  )
}

function Rename({ factor: { id, name }, onClose }: { factor: Factor; onClose: () => void }) {
  const form = useForm({ name: textOf(name) }, async (values) => {
    await byCookie.factors.rename(String(id), { name: values.name.trim() })
    outdate('factors')
    onClose()
  })
  return (
    <Dialog title={`Rename ${textOf(name)}`} onClose={onClose}>
      <Form of={form} action="Rename" onlyChanged onCancel={onClose}>
        <TextField of={form} name="name" label="Name" />
      </Form>
    </Dialog>
  )
}
