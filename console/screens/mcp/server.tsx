import { useState } from 'preact/hooks'
import type { McpServer, McpServerTool } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate, put } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { to, useGo } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { count, textOf } from '../../app/words.ts'
import { Badge, Status, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Json } from '../../parts/json.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Failed, Loading, Notice } from '../../parts/notice.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Url } from '../../parts/url.tsx'
import { ChangeServer } from './change.tsx'
import { reasonOf, STATES, useServer } from './data.ts'

/** One MCP server: its listed tools, and which of them may be called. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data: server, failure, refresh } = useServer(id)
  if (server !== undefined) return <Known server={server} />
  return (
    <Page title="MCP server" back={{ href: to('/mcp-servers'), label: 'MCP servers' }}>
      <Loading failure={failure} retry={refresh} lines={8} />
    </Page>
  )
}

function Known({ server }: { server: McpServer }) {
  const goOn = useGo()
  const { id, status, tools, lastFailure } = server
  const reason = useAccess().reason({ permission: 'mcp_servers:write' })
  const [open, setOpen] = useState<'accept' | 'change' | 'delete' | undefined>()
  const keep = (next: McpServer) => {
    put(`mcp-server ${id}`, next)
    outdate('mcp-servers')
  }
  const asking = useAction(async () => keep(await postern.mcpServers.refresh(id)))
  const off = tools.filter((tool) => tool.status !== 'on')
  useActions([{ label: 'Refresh the tools', run: () => void asking.run(), reason }])
  return (
    <Page
      title={textOf(server.name)}
      back={{ href: to('/mcp-servers'), label: 'MCP servers' }}
      mark={<Status of={status} words={STATES[status]} />}
      lead={
        <code>
          <Url of={server.url} />
        </code>
      }
      actions={
        <>
          <Button
            kind={status === 'new' ? 'primary' : 'plain'}
            icon="retry"
            reason={reason}
            busy={asking.isBusy}
            onPress={() => void asking.run()}
          >
            Refresh tools
          </Button>
          <Menu
            label="More"
            items={[
              { label: 'Edit the server', icon: 'settings', reason, run: () => setOpen('change') },
              {
                ...{ label: 'Remove the server', icon: 'trash', danger: true, reason },
                run: () => setOpen('delete'),
              },
            ]}
          />
        </>
      }
    >
      <Failed failure={asking.failure} />
      {lastFailure && asking.failure === undefined && (
        <Notice tone="bad" icon="alert" title="The server could not be reached">
          The last time {reasonOf(lastFailure.reason)}.
        </Notice>
      )}
      {status === 'changed' && (
        <Notice
          tone="wait"
          icon="alert"
          title={`${count(off.length, 'tool')} to accept`}
          actions={
            <Button kind="primary" icon="check" reason={reason} onPress={() => setOpen('accept')}>
              Accept
            </Button>
          }
        >
          New and changed tools are off until you accept them. Models read every description.
        </Notice>
      )}
      <div class="work-columns">
        <Panel
          title="Tools"
          note={server.toolsDigest ? `Their digest: ${textOf(server.toolsDigest).slice(0, 16)}…` : undefined}
        >
          {tools.length === 0 ? (
            <p class="quiet">
              {status === 'new'
                ? 'Not checked yet. Refresh tools: the first time, all tools are accepted.'
                : 'The server offers no tools.'}
            </p>
          ) : (
            <ul class="mcp-tools">
              {[...off, ...tools.filter((tool) => tool.status === 'on')].map((tool) => (
                <Tool key={tool.name} tool={tool} />
              ))}
            </ul>
          )}
        </Panel>
        <div class="work-aside">
          <Panel title="Details">
            <Facts
              rows={[
                ['ID', <IdText key="id" id={id} />],
                [
                  'Headers',
                  server.headerNames.length === 0 ? 'none' : server.headerNames.map(textOf).join(', '),
                ],
                server.connectionId !== null && [
                  'Connection',
                  <code key="connection">{textOf(server.connectionId)}</code>,
                ],
                ['If unreachable', server.required ? 'a run fails' : 'a run continues'],
                ['Checked', <ExactTime key="asked" at={server.checkedAt} />],
                ['Created', <ExactTime key="made" at={server.createdAt} />],
              ]}
            />
          </Panel>
        </div>
      </div>
      {open === 'change' && <ChangeServer server={server} onClose={() => setOpen(undefined)} />}
      {open === 'accept' && (
        <Confirm
          title="Accept the current tools?"
          action="Accept"
          work={async () => {
            keep(await postern.mcpServers.accept(id, { toolsDigest: server.toolsDigest ?? '' }))
            toast('Tools accepted')
          }}
          onClose={() => setOpen(undefined)}
        >
          <p>
            Agents can call them from now on. If the server changes its tools meanwhile, nothing is accepted.
          </p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Remove this server?"
          action="Forget"
          danger
          name={textOf(server.name)}
          work={async () => {
            await postern.mcpServers.delete(id)
            outdate('mcp-servers')
            goOn(to('/mcp-servers'), { replace: true })
          }}
          onClose={() => setOpen(undefined)}
        >
          <p>Agents continue without its tools. Its headers are deleted.</p>
        </Confirm>
      )}
    </Page>
  )
}

const TOOL: Record<McpServerTool['status'], [Tone, string]> = {
  on: ['good', 'on'],
  new: ['wait', 'new: off'],
  changed: ['wait', 'changed: off'],
  gone: ['held', 'gone'],
}

function Tool({ tool }: { tool: McpServerTool }) {
  const [tone, words] = TOOL[tool.status]
  return (
    <li>
      <details open={tool.status === 'new' || tool.status === 'changed'}>
        <summary class="mcp-tool">
          <code>{textOf(tool.name)}</code>
          <span class="row">
            {tool.readOnly && <Badge>only reads</Badge>}
            {tool.idempotent && <Badge>can be repeated</Badge>}
            <Badge tone={tone}>{words}</Badge>
          </span>
        </summary>
        <div class="stack mcp-tool-inside">
          <p class="work-text">{tool.description === '' ? 'No description.' : textOf(tool.description)}</p>
          <Json value={tool.inputSchema} label={`schema of ${textOf(tool.name)}`} />
          <p class="small quiet">
            Digest <code>{textOf(tool.digest)}</code>
          </p>
        </div>
      </details>
    </li>
  )
}
