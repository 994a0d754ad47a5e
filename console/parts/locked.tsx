import { Empty } from './notice.tsx'
import { Panel } from './page.tsx'

/** What stands in the place of what somebody may not see, with the reason. */
export function Locked({ reason }: { reason: string }) {
  return (
    <Panel>
      <Empty icon="lock" title={reason}>
        <p>Ask an administrator. They are listed under Members.</p>
      </Empty>
    </Panel>
  )
}
