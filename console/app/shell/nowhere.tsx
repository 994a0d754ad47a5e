import { Button, LinkButton } from '../../parts/button.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { openSession, type Person } from '../data/session.ts'
import { to, usePlace } from '../router.ts'
import { textOf } from '../words.ts'

/** Shown for an address that is not in the table of screens. */
export function Nowhere({ path }: { path: string }) {
  return (
    <Page title="Page not found">
      <Empty icon="search" title="Page not found">
        <p>
          The console has no <code>{textOf(path)}</code>. Press <kbd>/</kbd> to find a screen, or go to an id.
        </p>
        <LinkButton href={to('/')}>Open the overview</LinkButton>
      </Empty>
    </Page>
  )
}

/** Shown for an organization that is disabled, or that the person is not a member of. */
export function Closed({ person, isMember }: { person: Person; isMember: boolean }) {
  const { organizationId } = usePlace()
  const title = isMember ? 'This organization is disabled' : 'You are not a member of this organization'
  return (
    <Page title={isMember ? title : 'Switch organization'}>
      <Empty icon="lock" title={title}>
        <p>
          {isMember
            ? 'The operator of this server can enable it. Its data is kept.'
            : 'You may have used another account here before.'}
        </p>
        {isMember && <Button onPress={() => void openSession()}>Check again</Button>}
        {person.organizations
          .filter(({ id }) => id !== organizationId)
          .map(({ id, name }) => (
            <LinkButton key={id} href={to('/', {}, id)}>
              {textOf(name)}
            </LinkButton>
          ))}
      </Empty>
    </Page>
  )
}
