import { useState } from 'preact/hooks'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import { shortNumber, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form, TextField, useForm } from '../../parts/form.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Steps } from '../work/steps.tsx'
import { useBases, useLiveDocuments } from './data.ts'

/** Every knowledge base of the organization. */
export function Screen() {
  const list = useBases()
  const reason = useAccess().reason({ permission: 'knowledge:write' })
  const [isMaking, setMaking] = useState(false)
  const make = () => setMaking(true)
  useLiveDocuments()
  useActions([{ label: 'New knowledge base', run: make, reason }])
  const button = (
    <Button kind="primary" icon="plus" reason={reason} onPress={make}>
      New knowledge base
    </Button>
  )
  return (
    <Page
      title="Knowledge"
      lead="Collections of documents that people and agents can search."
      actions={button}
    >
      <Panel flush>
        <ListTable
          label="Knowledge bases"
          noun={['base', 'bases']}
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to(`/knowledge/${id}`)}
          empty={
            <Empty icon="knowledge" title="No knowledge base yet">
              <Steps at="base" />
              {button}
              <p>Or in a terminal:</p>
              <Command
                text={`curl ${baseUrl}/v1/knowledge-bases \\
  -H "Authorization: Bearer $POSTERN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"Handbook"}'`}
              />
            </Empty>
          }
          columns={[
            { title: 'Name', cell: ({ name }) => textOf(name) },
            { title: 'Documents', tight: true, end: true, cell: ({ documents }) => shortNumber(documents) },
            {
              title: 'Passages',
              tight: true,
              end: true,
              minor: true,
              cell: ({ chunks }) => shortNumber(chunks),
            },
            {
              title: 'Search by',
              tight: true,
              cell: ({ embedding }) => (embedding === null ? 'words' : `words, and ${textOf(embedding)}`),
            },
            { title: 'Updated', tight: true, minor: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          ]}
        />
      </Panel>
      {isMaking && <NewBase onClose={() => setMaking(false)} />}
    </Page>
  )
}

function NewBase({ onClose }: { onClose: () => void }) {
  const goOn = useGo()
  const form = useForm({ name: '', byMeaning: true }, async ({ name, byMeaning }) => {
    const base = await postern.knowledgeBases.create({
      name: name.trim(),
      ...(byMeaning ? {} : { embedding: null }),
    })
    outdate('bases')
    onClose()
    goOn(to(`/knowledge/${base.id}`))
  })
  return (
    <Dialog title="New knowledge base" onClose={onClose}>
      <Form of={form} action="Create" onCancel={onClose}>
        <TextField of={form} name="name" label="Name" placeholder="Handbook" />
        <CheckField
          of={form}
          name="byMeaning"
          label="Also search by meaning"
          hint="Works if the server has an embedding endpoint; the texts are sent there. Otherwise by words only."
        />
      </Form>
    </Dialog>
  )
}
