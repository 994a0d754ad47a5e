import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button, LinkButton } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import { Empty, Failed, Notice, Waiting } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { useAccess } from './access.ts'
import { useStream } from './data/live.ts'
import { openSession, type Person, session, signInPath, signOut, tokenFor } from './data/session.ts'
import { recall, remember } from './remember.ts'
import { go, to, usePlace } from './router.ts'
import type { ScreenProps, ScreenRow } from './screen.ts'
import { screenAt } from './screens.ts'
import { Layout } from './shell/layout.tsx'
import { useStore } from './store.ts'
import { wholeStyle } from './style.ts'

// Seldom seen, and loaded then.
const Nowhere = lazy(() => import('./shell/nowhere.tsx').then((module) => module.Nowhere), 4)
const FactorDue = lazy(() => import('./shell/factor-due.tsx').then((module) => module.FactorDue), 2)
const Closed = lazy(() => import('./shell/nowhere.tsx').then((module) => module.Closed), 4)

/** The console, with or without a session. */
export function App() {
  const who = useStore(session)
  useEffect(() => {
    // Typed text is still on the screen, so a person whose session ended while working is asked before it is left.
    if (who.state === 'out' && !who.wasIn) location.replace(signInPath())
  }, [who])
  if (who.state === 'in') return <SignedIn person={who.person} />
  if (who.state === 'unknown')
    return (
      <div class="alone">
        <Failed failure={who.failure} retry={() => void openSession()} />
      </div>
    )
  if (who.state === 'out' && who.wasIn)
    return (
      <div class="alone">
        <Notice icon="lock" title="You are signed out">
          Sign in to continue where you were.
        </Notice>
        <LinkButton kind="primary" href={signInPath()}>
          Sign in
        </LinkButton>
      </div>
    )
  return (
    <p class="opening" role="status">
      Opening the console…
    </p>
  )
}

function SignedIn({ person }: { person: Person }) {
  const { organizationId, path, query } = usePlace()
  const { organizations } = person
  useEffect(() => {
    if (organizationId !== undefined) return remember('organization', organizationId)
    const last = recall('organization')
    const open = organizations.filter(({ status }) => status === 'active')
    const next = open.find(({ id }) => id === last) ?? open[0] ?? organizations[0]
    // `/console/webhooks` leads to the webhooks of the organization where one was last.
    if (next !== undefined) go(to(path, Object.fromEntries(query), next.id), { replace: true })
  }, [organizationId, person])
  if (organizations.length === 0)
    return (
      <div class="alone">
        <Notice icon="people" title="You are not in an organization yet">
          Ask an administrator to invite you.
        </Notice>
        <Button onPress={() => void signOut()}>Sign out</Button>
      </div>
    )
  if (organizationId === undefined) return null
  const chosen = organizations.find(({ id }) => id === organizationId)
  return (
    <Layout person={person}>
      {/* Another organization is another page: the key drops the state of the previous one. */}
      {chosen?.status === 'active' ? (
        <Inside key={organizationId} dueAt={chosen.secondFactorDueAt} />
      ) : (
        <Closed person={person} isMember={chosen !== undefined} />
      )}
    </Layout>
  )
}

function Inside({ dueAt }: { dueAt: string | null }) {
  useStream()
  const { organizationId = '', path } = usePlace()
  const [isKnown, setKnown] = useState(false)
  useEffect(() => {
    // The token says what the person may do. Without one each part of a screen says what is wrong.
    tokenFor(organizationId)
      .catch(() => {})
      .then(() => setKnown(true))
  }, [organizationId])
  const found = screenAt(path)
  if (found === undefined) return <Nowhere path={path} />
  const { screen, params } = found
  const key = `${screen.path} ${Object.values(params).join(' ')}`
  return (
    <>
      {dueAt !== null && path !== '/me' && <FactorDue at={dueAt} />}
      <Shown key={key} row={screen} params={params} isKnown={isKnown} />
    </>
  )
}

const loaded = new Map<ScreenRow, ComponentType<ScreenProps>>()

/** A screen, which is loaded when it is first gone to. */
function Shown({ row, params, isKnown }: ScreenProps & { row: ScreenRow; isKnown: boolean }) {
  const [, draw] = useState({})
  const [isBroken, setBroken] = useState(false)
  const { may, reason: reasonOf } = useAccess()
  const reason = reasonOf(row)
  const Screen = loaded.get(row)
  useLayoutEffect(() => {
    if (Screen !== undefined) return
    // The first screen has its style already.
    const style = row.path === '/' ? undefined : wholeStyle()
    Promise.all([row.load(), style])
      .then(([module]) => {
        loaded.set(row, module.Screen)
        draw({})
      })
      .catch(() => setBroken(true))
  }, [row])
  useEffect(() => {
    if (Screen !== undefined) void wholeStyle()
  }, [Screen])
  if (reason !== undefined)
    return (
      <Page title={row.title}>
        <Empty icon="lock" title={reason}>
          <p>
            {row.permission && !may(row.permission)
              ? 'An administrator can change your role under Members.'
              : 'An administrator can change the plan under Credits.'}
          </p>
        </Empty>
      </Page>
    )
  if (isBroken)
    return (
      <Page title={row.title}>
        <Notice
          tone="wait"
          icon="alert"
          title="This page could not be loaded"
          actions={<Button onPress={() => location.reload()}>Load the page again</Button>}
        >
          The server may have been updated.
        </Notice>
      </Page>
    )
  return Screen === undefined || !isKnown ? <Waiting lines={6} /> : <Screen params={params} />
}
