import type { Model } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { to } from '../../app/router.ts'
import { number, textOf } from '../../app/words.ts'
import { AreaField, ChoicesField, type FormState, SelectField, TextField } from '../../parts/form.tsx'
import { useBases } from '../knowledge/data.ts'
import { useModels, useToolServers } from './data.ts'
import { ModelFields } from './model-fields.tsx'
import { type AgentValues, keyOf } from './values.ts'

const ON_LENGTH = [
  ['keep', 'Keep the partial answer'],
  ['fail', 'Fail the run'],
] as const

/** What the tokens of a model cost, as the end of a sentence. */
function costOf({ prices: { inputPer1000: read, outputPer1000: written } }: Model): string {
  return read + written === 0 ? '' : `; 1,000 cost ${number(read)} credits read, ${number(written)} written`
}

/** The fields of an agent, new or changed. */
export function AgentFields({ of }: { of: FormState<AgentValues> }) {
  const may = useMay()
  const models = useModels().data ?? []
  const bases = useBases().rows
  const servers = useToolServers(may('mcp_servers:read')).data ?? []
  const { model, tools, knowledgeBaseIds } = of.values
  const names = models.map(({ name }) => name)
  const options = (names.includes(model) ? names : [model, ...names]).map((name): [string, string] => [
    name,
    textOf(name),
  ])
  const offered = servers.flatMap((server) =>
    server.tools.map((tool) => ({
      value: keyOf({ serverId: server.id, name: tool.name }),
      label: `${textOf(server.name)}: ${textOf(tool.name)}`,
      note: tool.status === 'on' ? textOf(tool.description).slice(0, 120) : `off: ${tool.status}`,
    })),
  )
  // Chosen tools that no server offers any longer are listed, so that they can be removed.
  const lost = tools
    .filter((key) => !offered.some(({ value }) => value === key))
    .map((value) => ({ value, label: textOf(value.split(' ').slice(1).join(' ')), note: undefined }))
  const all = [...offered, ...lost]
  const used = all.filter(({ value }) => tools.includes(value)).map(({ value, label }) => ({ value, label }))
  const usedFreely = used.filter(({ value }) => of.values.free.includes(value))
  const gone = knowledgeBaseIds.filter((id) => !bases.some((base) => base.id === id))
  const chosen = models.find(({ name }) => name === model)
  return (
    <>
      <TextField of={of} name="name" label="Name" placeholder="Helper" />
      <SelectField
        of={of}
        name="model"
        label="Model"
        options={options}
        hint={chosen && `Reads and writes ${number(chosen.contextTokens)} tokens at most${costOf(chosen)}.`}
      />
      <AreaField
        of={of}
        name="instructions"
        label="Instructions"
        optional
        rows={5}
        hint="The model gets these before everything else."
      />
      {bases.length + gone.length > 0 ? (
        <ChoicesField
          of={of}
          name="knowledgeBaseIds"
          label="Knowledge bases"
          hint="The agent can search these."
          options={[
            ...bases.map(({ id, name }) => ({ value: id, label: textOf(name) })),
            ...gone.map((id) => ({ value: id, label: id, note: 'deleted' })),
          ]}
        />
      ) : (
        <p class="small quiet">
          There is no knowledge base yet. <a href={to('/knowledge')}>Create one</a> before, or add it later.
        </p>
      )}
      <ChoicesField of={of} name="tools" label="Tools" hint="The agent can call these." options={all} />
      <ChoicesField
        of={of}
        name="free"
        label="Call without approval"
        hint="Calls of the other tools wait for approval."
        options={used}
      />
      <ChoicesField
        of={of}
        name="parallel"
        label="Call side by side"
        hint="Only what does no harm, in whichever order it is called. All others are called one after the other."
        options={usedFreely}
      />
      <details>
        <summary>Limits of a run</summary>
        <div class="stack webhook-more">
          <TextField
            of={of}
            name="maxSteps"
            label="Maximum steps"
            type="number"
            hint="1 to 50 calls of models and tools."
          />
          <TextField of={of} name="maxOutputTokens" label="Maximum tokens per answer" type="number" />
          <TextField
            of={of}
            name="minutes"
            label="Maximum minutes"
            type="number"
            hint="Without the time spent waiting for approval."
          />
          <SelectField of={of} name="onLength" label="When an answer reaches the limit" options={ON_LENGTH} />
        </div>
      </details>
      <ModelFields of={of} options={options.filter(([name]) => name !== model)} />
    </>
  )
}
