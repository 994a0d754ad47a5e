import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Listed } from '../app/data/cache.ts'
import { type KeyRow, useKeys } from '../app/keys.ts'
import { go } from '../app/router.ts'
import { count } from '../app/words.ts'
import { Button } from './button.tsx'
import { Failed, Waiting } from './notice.tsx'

export interface Column<Row> {
  title: string
  /** What stands in it; values of the API's as text alone. */
  cell: (row: Row) => ComponentChildren
  /** Numbers and buttons stand at the end of theirs. */
  end?: boolean
  /** As narrow as what is in it. */
  tight?: boolean
  /** Leaves first where there is little room. */
  minor?: boolean
}

export interface TableProps<Row> {
  /** What the rows are, for who listens: "Webhooks". */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Where a row leads; its first column becomes the link. */
  hrefOf?: (row: Row) => string
  /** What stands there instead of no rows. */
  empty?: ComponentChildren
  isBusy?: boolean
  /** Keys that do something with the row that has the cursor: `r` resend. */
  rowKeys?: readonly { keys: string; label: string; run: (row: Row) => void }[]
  /** The chosen rows' keys, where rows can be chosen. */
  chosen?: ReadonlySet<string>
  onChoose?: (chosen: Set<string>) => void
}

/**
 * Rows of a list. `j` and `k` move a cursor over them, Enter opens, `x` chooses. On a phone each row is a card with its columns'
 * names.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, hrefOf, empty, isBusy = false, chosen, onChoose } = props
  const { cursor, body } = useCursor(props)
  if (rows.length === 0) return isBusy ? <Waiting /> : <div class="table-empty">{empty}</div>
  const all = onChoose && rows.every((row) => chosen?.has(keyOf(row)))
  const choose = (keys: string[], on: boolean) => {
    const next = new Set(chosen)
    for (const key of keys)
      if (on) next.add(key)
      else next.delete(key)
    onChoose?.(next)
  }
  return (
    <div class="table-frame">
      <table class="table" aria-label={label} aria-busy={isBusy || undefined}>
        <thead>
          <tr>
            {onChoose && (
              <th class="table-tight" scope="col">
                <input
                  type="checkbox"
                  aria-label="Choose all that are shown"
                  checked={all}
                  onChange={(event) => choose(rows.map(keyOf), event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, at) => {
            const key = keyOf(row)
            const href = hrefOf?.(row)
            return (
              <tr
                key={key}
                class={at === cursor ? 'table-cursor' : undefined}
                aria-selected={onChoose ? chosen?.has(key) : undefined}
              >
                {onChoose && (
                  <td class="table-tight">
                    <input
                      type="checkbox"
                      aria-label={`Choose row ${at + 1}`}
                      checked={chosen?.has(key)}
                      onChange={(event) => choose([key], event.currentTarget.checked)}
                    />
                  </td>
                )}
                {columns.map((column, index) => (
                  <td key={column.title} class={classOf(column)} data-title={column.title}>
                    {index === 0 && href !== undefined ? (
                      <a class="table-link" href={href}>
                        {column.cell(row)}
                      </a>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function classOf({ end, tight, minor }: Column<never>): string | undefined {
  return (
    [end && 'table-end', tight && 'table-tight', minor && 'table-minor'].filter(Boolean).join(' ') ||
    undefined
  )
}

/** The row that keys act on; it stays with its row when others come above it. */
function useCursor<Row>({ rows, keyOf, hrefOf, rowKeys = [], chosen, onChoose }: TableProps<Row>) {
  const [key, setKey] = useState<string | undefined>()
  const body = useRef<HTMLTableSectionElement>(null)
  const cursor = key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key)
  const row = rows[cursor]
  const move = (by: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, cursor + by))]
    if (next !== undefined) setKey(keyOf(next))
  }
  useEffect(() => {
    body.current?.querySelector('.table-cursor')?.scrollIntoView({ block: 'nearest' })
  }, [cursor])
  const keys: KeyRow[] = [
    { keys: 'j', label: 'Next row', run: () => move(1) },
    { keys: 'k', label: 'Row before', run: () => move(-1) },
    ...(hrefOf
      ? [{ keys: 'Enter', label: 'Open the row', run: () => void (row !== undefined && go(hrefOf(row))) }]
      : []),
    ...(onChoose
      ? [
          {
            keys: 'x',
            label: 'Choose the row',
            run: () => {
              if (row === undefined) return
              const next = new Set(chosen)
              if (!next.delete(keyOf(row))) next.add(keyOf(row))
              onChoose(next)
            },
          },
        ]
      : []),
    ...rowKeys.map(({ keys, label, run }) => ({
      keys,
      label,
      run: () => void (row !== undefined && run(row)),
    })),
  ]
  useKeys(keys, rows.length > 0)
  return { cursor, body }
}

/** A list of the API's as a table: reading, failing, empty and page after page. */
export function ListTable<Row>({
  list,
  noun,
  ...table
}: Omit<TableProps<Row>, 'rows' | 'isBusy'> & {
  list: Listed<Row> /** "webhook", "deliveries": what is counted. */
  noun: [one: string, several: string]
}) {
  return (
    <>
      {list.failure && <Failed failure={list.failure} retry={list.refresh} />}
      {!(list.failure && list.rows.length === 0) && (
        <Table {...table} rows={list.rows} isBusy={list.isBusy} />
      )}
      <Pager list={list} noun={noun} />
    </>
  )
}

/** How many are shown, and the next page. */
export function Pager<Row>({ list, noun }: { list: Listed<Row>; noun: [one: string, several: string] }) {
  if (list.rows.length === 0) return null
  return (
    <footer class="pager small">
      <span class="quiet">
        {count(list.rows.length, ...noun)}
        {list.hasMore ? ' shown' : ''}
      </span>
      {list.hasMore && (
        <Button small busy={list.isReadingMore} onPress={() => void list.more()}>
          Show more
        </Button>
      )}
    </footer>
  )
}
