import { Button, LinkButton } from '../../parts/button.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { openSession, type Person } from '../data/session.ts'
import { to, usePlace } from '../router.ts'
import { textOf } from '../words.ts'

/** In the place of a screen that there is none of. */
export function Nowhere({ path }: { path: string }) {
  return (
    <Page title="There is nothing here">
      <Empty icon="search" title="There is nothing here">
        <p>
          The console has no <code>{textOf(path)}</code>. Press <kbd>/</kbd> to find a screen, or go to an id.
        </p>
        <LinkButton href={to('/')}>Go to the overview</LinkButton>
      </Empty>
    </Page>
  )
}

/** In the place of an organization that one cannot come into. */
export function Closed({ person, isMember }: { person: Person; isMember: boolean }) {
  const { organizationId } = usePlace()
  const title = isMember ? 'This organization is disabled' : 'You do not belong to this organization'
  return (
    <Page title={isMember ? title : 'Another organization'}>
      <Empty icon="lock" title={title}>
        <p>
          {isMember
            ? 'Whoever runs the server can enable it; nothing of it is lost.'
            : 'You may have been signed in with another address when you came here last.'}
        </p>
        {isMember && <Button onPress={() => void openSession()}>Look again</Button>}
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
