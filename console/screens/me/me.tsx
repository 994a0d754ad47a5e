import { useState } from 'preact/hooks'
import type { SessionItem } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { byCookie, type Person, personChanged, session } from '../../app/data/session.ts'
import { to } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { count, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ListTable, Table } from '../../parts/table.tsx'
import { ExactTime, Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { deviceOf } from './device.ts'
import { EmailChange } from './email-change.tsx'
import { Factors } from './factors.tsx'
import { OwnGrants } from './own-grants.tsx'

/** The account of the person, which is the same in every organization. */
export function Screen() {
  const who = useStore(session)
  if (who.state !== 'in') return null
  const { person } = who
  return (
    <Page title="Your account" lead={`${textOf(person.email)}. It is the same in every organization.`}>
      <div class="columns">
        <Panel title="Name">
          <Names person={person} />
        </Panel>
        <Panel title="Password">
          <Password />
        </Panel>
        <Panel title="E-mail address">
          <EmailChange email={textOf(person.email)} />
        </Panel>
      </div>
      <Factors />
      <Sessions />
      <OwnGrants />
      <Panel title="Organizations" flush>
        <Table
          label="Organizations"
          rows={person.organizations}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to('/', {}, id)}
          columns={[
            { title: 'Name', cell: ({ name }) => textOf(name) },
            { title: 'Your role', tight: true, cell: ({ roleName }) => textOf(roleName) },
            { title: 'Id', minor: true, cell: ({ id }) => <IdText id={id} /> },
          ]}
        />
      </Panel>
      <Panel title="Details">
        <Facts
          rows={[
            ['Address', `${textOf(person.email)}${person.emailVerified ? ', confirmed' : ', not confirmed'}`],
            ['Since', <ExactTime key="since" at={person.createdAt} />],
            ['Terms accepted', <ExactTime key="terms" at={person.termsAcceptedAt} />],
            ['ID', <IdText key="id" id={person.id} />],
          ]}
        />
      </Panel>
    </Page>
  )
}

function Names({ person: { firstName, lastName } }: { person: Person }) {
  const start = { firstName: firstName ?? '', lastName: lastName ?? '' }
  const form = useForm(start, async (values) => {
    const names = { firstName: values.firstName.trim(), lastName: values.lastName.trim() }
    await byCookie.account.update(names, { maxRetries: 0 })
    await personChanged()
    outdate('members')
    outdate('actors ')
    form.reset(names)
    toast('Name saved')
  })
  return (
    <Form of={form} action="Save name" onlyChanged>
      <TextField of={form} name="firstName" label="First name" autocomplete="given-name" />
      <TextField of={form} name="lastName" label="Last name" autocomplete="family-name" />
    </Form>
  )
}

const EMPTY = { currentPassword: '', newPassword: '' }

function Password() {
  const form = useForm(EMPTY, async (values) => {
    const { endedSessions } = await byCookie.account.changePassword(values, { maxRetries: 0 })
    form.reset(EMPTY)
    outdate('sessions')
    outdate('own grants')
    toast(
      endedSessions === 0
        ? 'Password changed'
        : `Password changed, ${count(endedSessions, 'other session')} ended`,
    )
  })
  return (
    <Form of={form} action="Change password">
      <TextField
        of={form}
        name="currentPassword"
        label="Current password"
        type="password"
        autocomplete="current-password"
      />
      <TextField
        of={form}
        name="newPassword"
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="8 to 256 characters. All other sessions are signed out."
      />
    </Form>
  )
}

/** Where else one is signed in, and how to end that. */
function Sessions() {
  const list = useList<SessionItem>('sessions', (how) => byCookie.sessions.list(how))
  const [ended, setEnded] = useState<SessionItem | 'others' | undefined>()
  const others = list.rows.filter(({ current }) => !current)
  return (
    <Panel
      title="Sessions and devices"
      flush
      actions={
        <Button
          small
          icon="out"
          reason={others.length === 0 ? 'No other sessions' : undefined}
          onPress={() => setEnded('others')}
        >
          Sign out all others
        </Button>
      }
    >
      <ListTable
        label="Sessions"
        noun={['session', 'sessions']}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Device',
            cell: ({ userAgent, current }) => (
              <span class="row" title={textOf(userAgent)}>
                {deviceOf(textOf(userAgent))}
                {current && <Badge tone="good">current</Badge>}
              </span>
            ),
          },
          { title: 'Address', tight: true, cell: ({ ip }) => <code>{textOf(ip)}</code> },
          { title: 'Last seen', tight: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
          { title: 'Signed in', tight: true, minor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'End',
            tight: true,
            end: true,
            cell: (row) => (
              <Button
                small
                reason={row.current ? 'Use Sign out to end the current session' : undefined}
                onPress={() => setEnded(row)}
              >
                End
              </Button>
            ),
          },
        ]}
      />
      {ended && (
        <Confirm
          title={
            ended === 'others'
              ? `End ${count(others.length, 'other session')}?`
              : `End the session of ${deviceOf(textOf(ended.userAgent))}?`
          }
          action="End"
          danger
          work={async () => {
            if (ended === 'others') await byCookie.sessions.endOthers()
            else await byCookie.sessions.end(ended.id)
            outdate('sessions')
          }}
          onClose={() => setEnded(undefined)}
        >
          <p>
            {ended === 'others'
              ? 'They are signed out, and links mailed to you stop working. The current session stays.'
              : 'It is signed out immediately.'}
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
