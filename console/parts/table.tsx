import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Listed } from '../app/data/list.ts'
import { type KeyRow, useKeys } from '../app/keys.ts'
import { go } from '../app/router.ts'
import { Failed, Waiting } from './notice.tsx'
import { type Noun, Pager, useTurn, wordsOf } from './pager.tsx'

export interface Column<Row> {
  title: string
  /** Content of the cell. Values of the API are shown as text only. */
  cell: (row: Row) => ComponentChildren
  /** Aligns the column at its end, for numbers and buttons. */
  end?: boolean
  /** As narrow as its content. */
  tight?: boolean
  /** Hidden first on narrow screens. */
  minor?: boolean
  /** On a phone: at the end of the first line, or not shown. Other columns flow under the first one. */
  phone?: 'corner' | 'never'
}

export interface TableProps<Row> {
  /** The name of the table for screen readers: "Webhooks". */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Where a row leads; its first column becomes the link. */
  hrefOf?: (row: Row) => string
  /** Shown when there are no rows. */
  empty?: ComponentChildren
  isBusy?: boolean
  /** Keys that do something with the row that has the cursor: `r` resend. */
  rowKeys?: readonly { keys: string; label: string; run: (row: Row) => void }[]
  /** Keys of the chosen rows, for a table whose rows can be chosen. */
  chosen?: ReadonlySet<string>
  onChoose?: (chosen: Set<string>) => void
  /** Rows before the first one shown, for a table that shows a part of its list. */
  offset?: number | undefined
  /** Called for a step of the cursor beyond the last row (1) or the first (-1). */
  onBeyond?: ((by: number) => void) | undefined
}

/**
 * Rows of a list. `j` and `k` move a cursor over them, Enter opens, `x` chooses. On a phone a row is two lines: its first
 * column, and the others behind their names.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, hrefOf, empty, isBusy = false, chosen, onChoose, offset } = props
  const placeOf = (at: number) => (offset === undefined ? undefined : offset + at + 1)
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
      <table
        class="table"
        aria-label={label}
        aria-busy={isBusy || undefined}
        aria-rowcount={offset === undefined ? undefined : -1}
      >
        <thead>
          <tr aria-rowindex={offset === undefined ? undefined : 1}>
            {onChoose && (
              <th class="table-tight" scope="col">
                <input
                  type="checkbox"
                  aria-label="Select all shown"
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
                aria-rowindex={placeOf(at + 1)}
                aria-selected={onChoose ? chosen?.has(key) : undefined}
              >
                {onChoose && (
                  <td class="table-tight">
                    <input
                      type="checkbox"
                      aria-label={`Select row ${at + 1}`}
                      checked={chosen?.has(key)}
                      onChange={(event) => choose([key], event.currentTarget.checked)}
                    />
                  </td>
                )}
                {columns.map((column, index) => (
                  <td key={column.title} class={classOf(column, index === 0)} data-title={column.title}>
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

function classOf({ end, tight, minor, phone }: Column<never>, isMain = false): string | undefined {
  const names = [
    end && 'table-end',
    tight && 'table-tight',
    minor && 'table-minor',
    phone && `table-${phone}`,
    isMain && 'table-main',
  ]
  return names.filter(Boolean).join(' ') || undefined
}

/** The row that keys act on. The cursor stays on its row when rows are added above it. */
function useCursor<Row>(props: TableProps<Row>) {
  const { rows, keyOf, hrefOf, rowKeys = [], chosen, onChoose, onBeyond } = props
  const [key, setKey] = useState<string | undefined>()
  const body = useRef<HTMLTableSectionElement>(null)
  const cursor = key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key)
  const row = rows[cursor]
  const move = (by: number) => {
    const next = rows[cursor < 0 ? 0 : cursor + by]
    if (next === undefined) onBeyond?.(by)
    else setKey(keyOf(next))
  }
  useEffect(() => {
    body.current?.querySelector('.table-cursor')?.scrollIntoView({ block: 'nearest' })
  }, [cursor])
  const keys: KeyRow[] = [
    { keys: 'j', label: 'Next row', run: () => move(1) },
    { keys: 'k', label: 'Previous row', run: () => move(-1) },
    ...(hrefOf
      ? [{ keys: 'Enter', label: 'Open the row', run: () => void (row !== undefined && go(hrefOf(row))) }]
      : []),
    ...(onChoose
      ? [
          {
            keys: 'x',
            label: 'Select the row',
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
}: Omit<TableProps<Row>, 'rows' | 'isBusy' | 'offset' | 'onBeyond'> & {
  list: Listed<Row>
  /** The word for rows: "webhook", "deliveries". */
  noun: Noun
}) {
  const { rows, offset, hasMore } = list
  const isPart = hasMore || offset > 0
  const turn = useTurn(wordsOf(list, noun), list.isReadingMore)
  return (
    <>
      {list.failure && <Failed failure={list.failure} retry={list.refresh} />}
      {!(list.failure && rows.length === 0) && (
        <Table
          {...table}
          rows={rows}
          isBusy={list.isBusy}
          offset={isPart ? offset : undefined}
          onBeyond={isPart ? (by) => turn(() => (by > 0 ? list.more() : list.earlier())) : undefined}
        />
      )}
      <Pager list={list} noun={noun} />
    </>
  )
}
