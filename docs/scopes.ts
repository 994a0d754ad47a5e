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
    'administrator has all, and a person with a [role of the organization](#roles) has those of that role. An API key has those of its',
    'role, or, where it is made with `scopes`, these alone:',
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
    '## Roles',
    '',
    'Beside `administrator` and `member` an organization makes roles of its own out of the permissions of this table, 50 at most:',
    '',
    '```sh',
    'curl -X POST $URL/v1/roles -H "authorization: Bearer $TOKEN" -H \'content-type: application/json\' \\',
    '  -d \'{"name": "Support", "permissions": ["deliveries:read", "deliveries:write", "members:read"]}\'',
    '```',
    '',
    'The answer has an `id` (`rol_…`). Invitations and `PATCH /v1/organizations/{id}/members/{accountId}` take it as `role`; members,',
    'invitations and tokens show it, with `roleName` where a person reads it. `postern invite --role` takes the name or the id. A call',
    'beyond the role is `FORBIDDEN` with `permission_required`, and `details.scope` names the missing permission.',
    '',
    'A change of its permissions reaches all who have the role within 5 seconds. A role that members have, or pending invitations name,',
    'is not deleted (`role_in_use`): give those members another role, and revoke those invitations first. An API key has a fixed role',
    'and scopes.',
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
