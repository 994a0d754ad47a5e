import type { OrganizationRole } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { IdText } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Waiting } from '../../parts/notice.tsx'
import { usePermissionGroups } from './permissions.ts'

/** What a role permits, in words. */
export function ShowRole({ role, onClose }: { role: OrganizationRole; onClose: () => void }) {
  const { groups } = usePermissionGroups()
  const held = new Set(role.permissions.map(String))
  return (
    <Dialog title={`What ${textOf(role.name)} permits`} wide onClose={onClose}>
      <div class="stack">
        {!role.isFixed && <IdText id={String(role.id)} />}
        {groups.length === 0 && <Waiting lines={6} />}
        {groups
          .map(({ title, rows }) => ({ title, rows: rows.filter(({ scope }) => held.has(scope)) }))
          .filter(({ rows }) => rows.length > 0)
          .map(({ title, rows }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl class="role-permits">
                {rows.map(({ scope, description }) => (
                  <div key={scope}>
                    <dt>
                      <code>{textOf(scope)}</code>
                    </dt>
                    <dd>{textOf(description)}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Dialog>
  )
}
