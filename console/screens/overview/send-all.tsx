import type { Problem } from '#sdk/postern.ts'
import { outdate, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { count } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'

/** Which deliveries of a webhook: those that wait, or those that failed in the time that the problem names. */
export function bodyOf({ subjectId, failed }: Problem, status: 'pending' | 'failed') {
  const webhookId = String(subjectId)
  if (status === 'pending' || failed === null) return { webhookId, status: 'pending' }
  return { webhookId, status, since: failed.since, until: failed.until }
}

/** Sends all of one problem again: asks the server first how many that are, and makes exactly these. */
export function SendAll({
  problem,
  status,
  onClose,
}: {
  problem: Problem
  status: 'pending' | 'failed'
  onClose: () => void
}) {
  const body = bodyOf(problem, status)
  const matched = useData(`problem-count ${JSON.stringify(body)}`, async (how) => {
    const answer = await postern.deliveries.retryAll({ ...body, dryRun: true }, how)
    return 'matched' in answer ? answer.matched : 0
  }).data
  const work = async () => {
    const job = await postern.deliveries.retryAll(body, { maxRetries: 3 })
    outdate('overview/')
    outdate('deliveries')
    toast(`${count('total' in job ? job.total : 0, 'delivery is', 'deliveries are')} on the way`)
  }
  const many = matched === undefined ? undefined : count(matched, 'delivery', 'deliveries')
  return (
    <Confirm
      title={status === 'pending' ? 'Retry all pending?' : 'Retry all failed?'}
      action={matched === undefined ? 'Counting…' : `Retry all ${matched}`}
      work={work}
      onClose={onClose}
    >
      <p role="status">
        {many === undefined
          ? 'Counting…'
          : status === 'pending'
            ? `${many} pending. They are attempted as soon as the webhook responds.`
            : `${many} failed and were not retried since. New deliveries of the same events are created.`}
      </p>
    </Confirm>
  )
}
