import { number, textOf } from '../../app/words.ts'
import { Failed, Notice } from '../../parts/notice.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useModels } from './data.ts'

/** The models that agents may be made with. */
export function Screen() {
  const { data = [], failure, isBusy, refresh } = useModels()
  return (
    <Page title="Models" lead="The models that agents can use. The operator of this server configures them.">
      <Panel flush>
        <Failed failure={failure} retry={refresh} />
        {failure === undefined && (
          <Table
            label="Models"
            rows={data}
            isBusy={isBusy}
            keyOf={({ name }) => name}
            columns={[
              {
                title: 'Name',
                cell: ({ name }) => (
                  <span class="work-two">
                    <code>{textOf(name)}</code>
                    {name.startsWith('builtin/') && (
                      <span class="small quiet">
                        Quotes from knowledge bases; does not write text of its own
                      </span>
                    )}
                  </span>
                ),
              },
              {
                title: 'Context',
                tight: true,
                end: true,
                cell: ({ contextTokens }) => number(contextTokens),
              },
              {
                title: 'Longest answer',
                tight: true,
                end: true,
                cell: ({ maxOutputTokens }) => number(maxOutputTokens),
              },
              {
                title: 'Credits per 1,000 input tokens',
                tight: true,
                end: true,
                cell: ({ prices }) => number(prices.inputPer1000),
              },
              {
                title: 'Credits per 1,000 output tokens',
                tight: true,
                end: true,
                cell: ({ prices }) => number(prices.outputPer1000),
              },
            ]}
          />
        )}
      </Panel>
      <Notice icon="model" title="Models of your own">
        <code>MODELS_FILE</code> names models behind any OpenAI-compatible endpoint; their keys stand in the
        server’s environment. A step costs its price beside the tokens.
      </Notice>
    </Page>
  )
}
