import { useAccess } from '../../app/access.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Page, Panel } from '../../parts/page.tsx'

/** What one sees first: how the organization fares. */
export function Screen() {
  const { organization } = useAccess()
  return (
    <Page title="Overview" lead={textOf(organization?.name)}>
      <Panel title="Webhooks">
        <div>
          <LinkButton icon="webhook" href={to('/webhooks')}>
            See the webhooks
          </LinkButton>
        </div>
      </Panel>
    </Page>
  )
}
