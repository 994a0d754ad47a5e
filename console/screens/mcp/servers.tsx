import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { reasonOf, STATES, useServers } from './data.ts'
import { AuthorizationField, NameField, RequiredField, UrlField } from './fields.tsx'

/** The MCP servers whose tools agents may use. */
export function Screen() {
  const reason = useAccess().reason({ permission: 'mcp_servers:write' })
  const list = useServers()
  const [isNew, setNew] = useState(false)
  useActions([{ label: 'Add an MCP server', run: () => setNew(true), reason }])
  const button = (
    <Button kind="primary" icon="plus" reason={reason} onPress={() => setNew(true)}>
      Add MCP server
    </Button>
  )
  return (
    <Page title="MCP servers" lead="The tools of these servers can be used by agents." actions={button}>
      <Panel flush>
        <ListTable
          label="MCP servers"
          noun={['server', 'servers']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/mcp-servers/${id}`)}
          empty={
            <Empty icon="plug" title="No MCP servers yet">
              <p>
                A URL that speaks the Model Context Protocol over Streamable HTTP. You review and accept its
                tools before an agent can call them.
              </p>
              {button}
              <p>Or in a terminal:</p>
              <Command
                text={`curl ${baseUrl}/v1/mcp-servers \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"crm","url":"https://mcp.example.com/mcp"}'`}
              />
            </Empty>
          }
          columns={[
            {
              title: 'Name',
              cell: ({ name, url }) => (
                <span class="work-two">
                  <span>{textOf(name)}</span>
                  <span class="small quiet">
                    <Url of={url} />
                  </span>
                </span>
              ),
            },
            {
              title: 'Status',
              cell: ({ status, lastFailure }) => (
                <span class="work-two">
                  <Status of={status} words={STATES[status]} />
                  {lastFailure && <span class="small quiet">{reasonOf(lastFailure.reason)}</span>}
                </span>
              ),
            },
            { title: 'Tools', tight: true, end: true, cell: ({ toolCount }) => toolCount },
            {
              title: 'Checked',
              tight: true,
              minor: true,
              cell: ({ checkedAt }) => <Time at={checkedAt} none="never" />,
            },
          ]}
        />
      </Panel>
      {isNew && <New onClose={() => setNew(false)} />}
    </Page>
  )
}

function New({ onClose }: { onClose: () => void }) {
  const goOn = useGo()
  const form = useForm({ name: '', url: '', authorization: '', required: false }, async (values) => {
    const authorization = values.authorization.trim()
    const { id } = await postern.mcpServers.create({
      name: values.name.trim(),
      url: values.url.trim(),
      ...(authorization === '' ? {} : { headers: { Authorization: authorization } }),
      required: values.required,
    })
    outdate('mcp-servers')
    onClose()
    goOn(to(`/mcp-servers/${id}`))
  })
  return (
    <Dialog title="Add an MCP server" onClose={onClose}>
      <Form of={form} action="Add server" onCancel={onClose}>
        <NameField of={form} />
        <UrlField of={form} />
        <AuthorizationField of={form} optional />
        <RequiredField of={form} />
      </Form>
    </Dialog>
  )
}
