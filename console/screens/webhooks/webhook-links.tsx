import { to } from '../../app/router.ts'
import { Status } from '../../parts/badge.tsx'
import { Url } from '../../parts/url.tsx'

/** Webhooks as links, each with its status. */
export function WebhookLinks({ of }: { of: readonly { id: string; url: string; status: string }[] }) {
  return (
    <ul class="webhook-links">
      {of.map(({ id, url, status }) => (
        <li key={id}>
          <a href={to(`/webhooks/${id}`)}>
            <Url of={url} />
          </a>
          <Status of={status} />
        </li>
      ))}
    </ul>
  )
}
