import { PERMISSION_NAMES, type Permission, permissionRow } from '#src/http/permissions.ts'
import { toRow } from './markdown.ts'

/** An operation of an organization, as far as scopes concern it. */
interface Scoped {
  method: string
  path: string
  /** undefined: every caller of the organization. */
  scope: Permission | undefined
  /** Permissions that it asks for beside that, by the member that is given. */
  also: Readonly<Record<string, Permission>>
}

const nameOf = ({ method, path }: Scoped) => `\`${method} ${path}\``

/** `docs/scopes.md`, whole, from the table of permissions and the operations of organizations. */
export function scopesDocument(operations: Scoped[]): string {
  const byScope = Map.groupBy(operations, ({ scope }) => scope)
  const scopes = PERMISSION_NAMES.map((name) => {
    const { role, module = '', about } = permissionRow(name)
    const own = byScope.get(name)?.map(nameOf) ?? []
    return toRow(`\`${name}\``, role, module, about, own.join(', '))
  })
  const more = operations.flatMap((one) =>
    Object.entries(one.also).map(([member, scope]) => toRow(nameOf(one), `\`${member}\``, `\`${scope}\``)),
  )
  return `${[
    '# Scopes',
    '',
    '<!-- Written by `npm run docs` from src/http/permissions.ts and the routes; a test compares them. -->',
    '',
    'Each operation of an organization asks for one permission of this table. A member has those of the role `member`, an',
    'administrator has all. An API key has those of its role, or, where it is made with `scopes`, these alone:',
    '',
    '```sh',
    'curl -X POST $URL/v1/api-keys -H "authorization: Bearer $TOKEN" -H \'content-type: application/json\' \\',
    '  -d \'{"name": "Shop", "scopes": ["events:write", "deliveries:read"]}\'',
    '```',
    '',
    'A call beyond them is `FORBIDDEN` with `details.reason: "scope_required"`, and `details.scope` names the missing one. Without a `role`',
    'a key has the lowest that has all its scopes. [security.md](security.md#scopes) says what holds beside this table.',
    '',
    toRow('Scope', 'Lowest role', 'Module', 'What it permits', 'Operations'),
    '|---|---|---|---|---|',
    ...scopes,
    '',
    '## What a request names',
    '',
    'Some operations make a thing of another kind readable or usable. With these members they ask for its permission as well.',
    '',
    toRow('Operation', 'Member', 'Scope'),
    '|---|---|---|',
    ...more,
    '',
    '## Without a scope',
    '',
    `Every caller of the organization may call ${(byScope.get(undefined) ?? []).map(nameOf).join(', ')}. The tools of \`/mcp\`, the rows`,
    'of the stream and the problems are those that the permissions of the caller reach.',
  ].join('\n')}\n`
}
