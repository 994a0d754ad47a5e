import { Empty } from './notice.tsx'
import { Panel } from './page.tsx'

/** Shown in the place of content that the person may not see, with the reason. */
export function Locked({ reason }: { reason: string }) {
  return (
    <Panel>
      <Empty icon="lock" title={reason}>
        <p>Ask an administrator. They are listed under Members.</p>
      </Empty>
    </Panel>
  )
}
