import type { McpServer, UpdateMcpServerBody } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { useConnections } from '../connections/data.ts'
import { AuthorizationField, NameField, RequiredField, UrlField } from './fields.tsx'

/** The headers of every call to the server: unchanged, replaced or removed. */
const WAYS = [
  ['keep', 'keep'],
  ['replace', 'replace'],
  ['none', 'remove'],
] as const

interface Values {
  name: string
  url: string
  how: 'keep' | 'replace' | 'none'
  authorization: string
  connectionId: string
  required: boolean
}

/** The changed members only. Headers are never shown, and so never sent back. */
function bodyOf(values: Values, before: McpServer): UpdateMcpServerBody {
  const { how, authorization, required } = values
  const [name, url] = [values.name.trim(), values.url.trim()]
  const connectionId = values.connectionId === '' ? null : values.connectionId
  return {
    ...(name !== before.name && { name }),
    ...(url !== before.url && { url }),
    ...(how === 'replace' && { headers: { Authorization: authorization.trim() } }),
    ...(how === 'none' && { headers: null }),
    ...(connectionId !== before.connectionId && { connectionId }),
    ...(required !== before.required && { required }),
  }
}

/** Changes an MCP server; under another address it is another server. */
export function ChangeServer({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const connections = useConnections().rows
  const start: Values = {
    ...{ name: server.name, url: server.url, required: server.required },
    ...{ how: 'keep', authorization: '', connectionId: server.connectionId ?? '' },
  }
  const form = useForm(start, async (values) => {
    await postern.mcpServers.update(server.id, bodyOf(values, server))
    outdate('mcp-server')
    toast('MCP server saved')
    onClose()
  })
  const { url, how, connectionId } = form.values
  const known = connections.some(({ id }) => id === connectionId)
  return (
    <Dialog title={`Change ${textOf(server.name)}`} onClose={onClose}>
      <Form of={form} action="Save" onlyChanged onCancel={onClose}>
        <NameField of={form} />
        <UrlField
          of={form}
          hint={url.trim() === server.url ? undefined : 'With another URL, all tools must be accepted again.'}
        />
        <SelectField
          of={form}
          name="how"
          label="Headers"
          options={WAYS}
          hint={
            server.headerNames.length === 0
              ? 'No headers are sent.'
              : `Sent: ${server.headerNames.map(textOf).join(', ')}. They are replaced together.`
          }
        />
        {how === 'replace' && <AuthorizationField of={form} />}
        <SelectField
          of={form}
          name="connectionId"
          label="Connection"
          hint="Its token is sent with every call instead of an Authorization header."
          options={[
            ['', 'none'],
            ...(known || connectionId === '' ? [] : [[connectionId, connectionId] as const]),
            ...connections.map(
              ({ id, provider, subject }) => [id, `${textOf(provider)} ${textOf(subject ?? '')}`] as const,
            ),
          ]}
        />
        <RequiredField of={form} />
      </Form>
    </Dialog>
  )
}
