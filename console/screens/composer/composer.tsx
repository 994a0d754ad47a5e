import { useEffect, useRef, useState } from 'preact/hooks'
import type { PublishEventAnswer } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { outdate } from '../../app/data/cache.ts'
import { issuesOf } from '../../app/data/failure.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { keyWords, useKeys } from '../../app/keys.ts'
import { organizationId, to, useFilters } from '../../app/router.ts'
import { count, reasonWords, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Copy, IdText } from '../../parts/copy.tsx'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { readJson } from '../../parts/json-place.ts'
import { Failed, Notice } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { curlOf, sdkOf, useEvent, useEventType } from '../events/data.ts'
import { EventDeliveries } from '../events/event-deliveries.tsx'
import { useEventTypes } from '../webhooks/data.ts'
import { DataForm } from './data-form.tsx'
import { fieldsOf } from './schema.ts'
import { Sources } from './sources.tsx'
import { Targets } from './targets.tsx'
import { bodyOf, useTrial } from './use-trial.ts'

/** Drafts by organization, kept while the person visits other screens. */
const drafts = new Map<string, { type: string; text: string }>()

const pretty = (value: unknown) => JSON.stringify(value ?? {}, null, 2)

/** Publishes an event by hand: its data, its receivers before it is sent, and the result. */
export function Screen() {
  const [{ type: asked, from, view }, change] = useFilters(['type', 'from', 'view'] as const)
  const draft = drafts.get(organizationId() ?? '')
  const types = (useEventTypes().data?.data ?? []).filter(({ publishable }) => publishable)
  const given = useEvent(from === '' ? undefined : from)
  const type = asked || textOf(given.data?.type) || (from === '' ? draft?.type : '') || (types[0]?.name ?? '')
  const known = useEventType(type === '' ? undefined : type).data
  const [text, setText] = useState(from === '' && asked === '' ? (draft?.text ?? '') : '')
  const [made, setMade] = useState<PublishEventAnswer | undefined>()
  const filled = useRef(text)

  const fill = (value: unknown) => {
    filled.current = pretty(value)
    setText(filled.current)
  }
  // Another type replaces a sample, but not data that was typed by hand.
  const isOwn = text !== '' && text !== filled.current
  const latest = useRef(text)
  latest.current = text
  /** Fills in data once it has been read, unless the person has typed in the meantime. */
  const fillLater = () => {
    const before = latest.current
    return (value: unknown) => void (latest.current === before && fill(value))
  }
  const fillGiven = useRef(fillLater())
  useEffect(() => {
    fillGiven.current = fillLater()
  }, [from])
  useEffect(() => {
    if (given.data !== undefined && from !== '') fillGiven.current(given.data.data)
  }, [given.data?.id])
  useEffect(() => {
    if (known !== undefined && !isOwn && (from === '' || asked !== '') && draft?.text !== text)
      fill(known.example)
  }, [known?.name])
  useEffect(() => {
    if (type !== '' && text !== '') drafts.set(organizationId() ?? '', { type, text })
  }, [type, text])

  const reading = readJson(text)
  const isObject = reading.fault === undefined && typeof reading.value === 'object' && reading.value !== null
  const mayNot = useAccess().reason({ permission: 'events:write', module: 'webhooks' })
  const trial = useTrial(type, text, isObject && mayNot === undefined)
  const issues = trial.failure === undefined ? [] : issuesOf(trial.failure)
  const publishing = useAction(async () => {
    setMade(undefined)
    setMade(await postern.events.publish(bodyOf(type, text)))
    outdate('events')
    outdate('deliveries')
  })
  const reason = mayNot ?? (reading.fault ? `Line ${reading.fault.line} is not valid JSON` : undefined)
  const publish = () => reason === undefined && void publishing.run()
  useKeys([{ keys: 'Mod+enter', label: 'Publish the event', run: publish }])
  useActions([{ label: 'Publish the event', run: publish, reason }])

  const ofData = issues.map(({ field, reason: why, code }) => ({
    path: field.replace(/^data\.?/, ''),
    words: reasonWords(why ?? code),
    isOfData: /^data(\.|$)/.test(field),
  }))
  const faults = reading.fault
    ? [reading.fault]
    : ofData
        .filter(({ isOfData }) => isOfData)
        .map(({ path, words }) => ({
          line: reading.lineOf(path) ?? 1,
          column: 1,
          words: path === '' ? words : `${path}: ${words}`,
        }))
  const fields = fieldsOf(known?.schema)
  const isForm = view === 'form' && fields !== undefined
  return (
    <Page
      title="Composer"
      lead="Publish an event by hand. Nothing is sent until you press Publish."
      actions={
        <>
          <Copy text={curlOf(type, text)} what="event as curl">
            curl
          </Copy>
          <Copy text={sdkOf(type, text)} what="event for the SDK">
            SDK
          </Copy>
        </>
      }
    >
      <div class="composer">
        <Panel>
          <div class="field">
            <label for="composer-type">Type</label>
            <select
              id="composer-type"
              value={type}
              onChange={(event) => change({ type: event.currentTarget.value, from: '' })}
            >
              {(types.some(({ name }) => name === type)
                ? types.map(({ name }) => name)
                : [type, ...types.map(({ name }) => name)]
              ).map((name) => (
                <option key={name}>{textOf(name)}</option>
              ))}
            </select>
            {known && <p class="hint small quiet">{textOf(known.description)}</p>}
          </div>
          <Sources
            type={type}
            example={known?.example}
            onFill={fill}
            fillLater={fillLater}
            onEvent={(id) => change({ from: id, type: '' })}
          />
          <Failed failure={given.failure} />
          <Tabs
            label="Editor"
            tabs={[
              { name: 'json', label: 'JSON' },
              ...(fields === undefined ? [] : [{ name: 'form', label: 'Form' } as const]),
            ]}
            chosen={isForm ? 'form' : 'json'}
            onChoose={(name) => change({ view: name === 'json' ? '' : name })}
          >
            {!isForm ? (
              <JsonEditor
                label="Data of the event, as JSON"
                value={text}
                onChange={setText}
                faults={faults}
              />
            ) : isObject ? (
              <DataForm
                fields={fields}
                data={reading.value as Record<string, unknown>}
                errors={Object.fromEntries(ofData.map(({ path, words }) => [path, words]))}
                onChange={(data) => setText(pretty(data))}
              />
            ) : (
              <Notice tone="wait" icon="alert" title="The JSON is not valid">
                {reading.fault && `Line ${reading.fault.line}: ${reading.fault.words}.`} Correct it in the
                JSON tab first.
              </Notice>
            )}
          </Tabs>
        </Panel>
        <Panel title="Recipients">
          <Targets
            trial={trial}
            isData={ofData.length > 0 && ofData.every(({ isOfData }) => isOfData)}
            mayNot={mayNot}
          />
          <div class="row composer-send">
            <Button kind="primary" icon="send" busy={publishing.isBusy} reason={reason} onPress={publish}>
              Publish
            </Button>
            <span class="small quiet">
              <kbd>{keyWords('Mod+Enter').join('')}</kbd>
            </span>
          </div>
          <Failed failure={publishing.failure} />
        </Panel>
      </div>
      <div aria-live="polite">
        {made && (
          <Notice
            tone="good"
            icon="check"
            title={`Published: ${made.deliveries === 0 ? 'no webhook subscribes to it' : `on its way to ${count(made.deliveries, 'webhook')}`}`}
          >
            <a href={to(`/events/${made.id}`)}>Show the event</a> <IdText id={made.id} what="event's id" />
          </Notice>
        )}
      </div>
      {made && (
        <Panel flush title="Result">
          <EventDeliveries key={made.id} eventId={made.id} />
        </Panel>
      )}
    </Page>
  )
}
